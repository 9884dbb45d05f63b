import { expect, it } from 'vitest'
import { createClosers } from './closers.ts'

it('closes everything, the last one first, also where some fail, and rejects with the first failure', async () => {
  const closed: string[] = []
  const closers = createClosers()
  for (const name of ['lock', 'database', 'backends', 'listener']) {
    closers.push(async () => {
      closed.push(name)
      if (name === 'backends' || name === 'database') throw new Error(`${name} failed`)
    })
  }
  await expect(closers.closeAll()).rejects.toThrow('backends failed')
  expect(closed).toEqual(['listener', 'backends', 'database', 'lock'])
  await closers.closeAll()
  expect(closed).toHaveLength(4)
})
