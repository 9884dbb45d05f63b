import { createFakeClock, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { PlaceGone, whilePlaced } from './while-placed.ts'

const { signal } = new AbortController()
const untilAbort = (end: AbortSignal): Promise<never> =>
  new Promise((_, reject) => end.addEventListener('abort', () => reject(new Error('aborted'))))

describe('work for a replica', () => {
  it('gives its result', async () => {
    const clock = createFakeClock()
    expect(await whilePlaced(async () => 'done', { hasPlace: async () => false, signal, clock })).toBe('done')
  })

  it('ends when the place is gone, and not while nobody knows', async () => {
    const clock = createFakeClock()
    const answers = [true, 'away', false]
    let asked = 0
    const hasPlace = async (): Promise<boolean> => {
      const answer = answers[asked]
      asked += 1
      if (answer === 'away') throw new Error('the database is away')
      return answer === true
    }
    const work = whilePlaced(untilAbort, { hasPlace, signal, clock })
    work.catch(() => undefined)
    for (const looks of [1, 2, 3]) {
      await clock.advance(5000)
      await eventually(() => expect(asked).toBe(looks))
    }
    await expect(work).rejects.toBeInstanceOf(PlaceGone)
  })

  it('ends with the reason of its signal', async () => {
    const clock = createFakeClock()
    const stop = new AbortController()
    const work = whilePlaced(untilAbort, { hasPlace: async () => true, signal: stop.signal, clock })
    stop.abort(new Error('the server stops'))
    await expect(work).rejects.toThrow('the server stops')
  })
})
