import { expect, it } from 'vitest'
import { createHandOver } from './hand-over.ts'

it('hands values over one at a time, and the producer waits for the next question', async () => {
  const { put, values, end } = createHandOver<number>()
  const order: string[] = []
  const producing = (async () => {
    for (const value of [1, 2]) {
      await put(value)
      order.push(`taken ${value}`)
    }
    end()
  })()
  for await (const value of values) order.push(`got ${value}`)
  await producing
  expect(order).toEqual(['got 1', 'taken 1', 'got 2', 'taken 2'])
})

it('fails with the error of its producer, and the producer fails when the consumer leaves', async () => {
  const failing = createHandOver<number>()
  failing.end(new Error('broken'))
  await expect(failing.values.next()).rejects.toThrow('broken')
  const left = createHandOver<number>()
  const put = left.put(1)
  const refused = expect(put).rejects.toThrow('nobody takes values')
  await left.values.next()
  await left.values.return()
  await refused
  await expect(left.put(2)).rejects.toThrow('nobody takes values')
})
