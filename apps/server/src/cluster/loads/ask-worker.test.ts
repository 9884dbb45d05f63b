import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { askUntilReply } from './ask-worker.ts'

const { signal } = new AbortController()
const busAway = () => new SvcError('unavailable', 'away', { code: 'bus_disconnected' })

it('asks a silent worker again, and takes the first reply', async () => {
  const clock = createFakeClock()
  const replies = [createDeferred<string>(), createDeferred<string>(), createDeferred<string>()]
  let asked = 0
  let heardAt = 0
  const signals: AbortSignal[] = []
  const answer = askUntilReply(
    (within) => {
      signals.push(within)
      asked += 1
      return replies[asked - 1]?.promise ?? expect.unreachable()
    },
    { signal, heardAt: () => heardAt, clock },
  )
  expect(asked).toBe(1)
  await clock.advance(9000)
  heardAt = clock.monotonic()
  await clock.advance(9000)
  expect(asked).toBe(1)
  await clock.advance(10_000)
  expect(asked).toBe(2)
  // The bus may be back at the next attempt.
  replies[1]?.reject(busAway())
  await clock.advance(10_000)
  replies[2]?.resolve('there')
  expect(await answer).toBe('there')
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  await clock.advance(60_000)
  expect(asked).toBe(3)
})

it('fails as the first request, and as a later one that nobody answers', async () => {
  const clock = createFakeClock()
  const options = { signal, heardAt: () => 0, clock }
  await expect(askUntilReply(() => Promise.reject(busAway()), options)).rejects.toThrow('away')
  let asked = 0
  const gone = askUntilReply(() => {
    asked += 1
    return asked === 1 ? new Promise<never>(() => {}) : Promise.reject(new Error('nobody answers'))
  }, options)
  const failed = expect(gone).rejects.toThrow('nobody answers')
  await clock.advance(10_000)
  await failed
})
