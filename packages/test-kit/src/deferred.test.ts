import { expect, it } from 'vitest'
import { createDeferred } from './deferred.ts'

it('settles when told to, once', async () => {
  const opened = createDeferred<number>()
  opened.resolve(1)
  opened.resolve(2)
  expect(await opened.promise).toBe(1)
  const broken = createDeferred()
  broken.reject(new Error('no'))
  await expect(broken.promise).rejects.toThrow('no')
})
