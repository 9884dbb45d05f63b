import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

it('runs tasks one after another, also after one that fails', async () => {
  const runInTurn = createSerialQueue()
  const first = createDeferred<number>()
  const begun: string[] = []
  const one = runInTurn(() => {
    begun.push('one')
    return first.promise
  })
  const two = runInTurn(async () => {
    begun.push('two')
    throw new Error('broken')
  })
  const three = runInTurn(async () => {
    begun.push('three')
    return 3
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['one'])
  first.resolve(1)
  await expect(two).rejects.toThrow('broken')
  expect([await one, await three]).toEqual([1, 3])
  expect(begun).toEqual(['one', 'two', 'three'])
})
