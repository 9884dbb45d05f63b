import { expect, it } from 'vitest'
import { createEventLog, MAX_READERS } from './event-log.ts'

const signal = new AbortController().signal

it('keeps every frame, and gives those after a sequence number to the end', async () => {
  const log = createEventLog()
  log.publish(['a', 'b'])
  const [all, rest] = [log.follow(-1, { signal }), log.follow(0, { signal })]
  expect(await rest.next()).toEqual({ done: false, value: 'b' })
  log.publish(['c'])
  expect([log.length, log.frames(), log.frames(1)]).toEqual([3, ['a', 'b', 'c'], ['b', 'c']])
  log.end()
  const seen: string[] = []
  for await (const frame of all) seen.push(frame)
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(await rest.next()).toEqual({ done: false, value: 'c' })
  expect(await rest.next()).toEqual({ done: true, value: undefined })
})

it('is full beyond 64 MiB', () => {
  const log = createEventLog()
  const frame = 'x'.repeat(1024 * 1024)
  for (let count = 0; count < 64; count += 1) log.publish([frame])
  expect(log.isFull).toBe(false)
  log.publish(['y'])
  expect(log.isFull).toBe(true)
})

it('has a limit of readers', async () => {
  const log = createEventLog()
  log.publish(['a'])
  const readers = Array.from({ length: MAX_READERS }, () => log.follow(-1, { signal }))
  for (const reader of readers) await reader.next()
  await expect(log.follow(-1, { signal }).next()).rejects.toMatchObject({
    kind: 'rate_limited',
    code: 'response_readers',
  })
  await readers[0]?.return(undefined)
  expect(await log.follow(-1, { signal }).next()).toEqual({ done: false, value: 'a' })
})
