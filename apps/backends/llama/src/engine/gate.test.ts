import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

it('lets pass at once while nobody holds it', async () => {
  await createGate().pass()
})

it('keeps everybody waiting until the last holder is done, also after a failure', async () => {
  const gate = createGate()
  const log: string[] = []
  let end: () => void = () => undefined
  const slow = gate.hold(() => new Promise<void>((resolve) => (end = resolve)))
  const failed = gate.hold(() => Promise.reject(new Error('no')))
  const passed = gate.pass().then(() => log.push('passed'))
  await expect(failed).rejects.toThrow('no')
  log.push('failed')
  end()
  await slow
  await passed
  expect(log).toEqual(['failed', 'passed'])
  await gate.pass()
})
