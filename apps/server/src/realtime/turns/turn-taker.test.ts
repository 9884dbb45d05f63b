import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { detectLoud, SEMANTIC, SERVER, setUp, toSound } from './__fixtures__/turn-world.ts'

describe('server VAD', () => {
  it('starts a turn with its padding and ends it after the silence', async () => {
    const { hear, events } = setUp()
    await hear('..........#########............')
    expect(events).toEqual(['started 700', 'stopped 700 2400'])
  })

  it.each([1, 7, 100, 333, 3100])('takes pieces of %i ms', async (pieceMs) => {
    const { hear, events } = setUp()
    await hear('..........#########............', pieceMs)
    await eventually(() => expect(events).toEqual(['started 700', 'stopped 700 2400']))
  })

  it('joins speech over a pause that is shorter than the silence', async () => {
    const { hear, events } = setUp({ ...SERVER, silenceDurationMs: 800 })
    await hear('.....#####......#####............')
    expect(events).toEqual(['started 200', 'stopped 200 2900'])
  })

  it('takes one turn after the other', async () => {
    const { hear, events } = setUp({ ...SERVER, prefixPaddingMs: 2000 })
    await hear('.....#####......#####............')
    // the padding of the second ends at the first
    expect(events).toEqual(['started 0', 'stopped 0 1500', 'started 1500', 'stopped 1500 2600'])
  })

  it('takes sound that comes faster than it is spoken', async () => {
    const { taker, events } = setUp()
    taker.hear(toSound('.....#####......#####............'.repeat(10)))
    await eventually(() => expect(events).toHaveLength(40))
    expect(events.slice(0, 4)).toEqual(['started 200', 'stopped 200 1500', 'started 1500', 'stopped 1500 2600'])
    expect(events.slice(-2)).toEqual(['started 31200', 'stopped 31200 32300'])
  })

  it('asks the detector for nothing while it is silent', async () => {
    const { hear, calls } = setUp()
    await hear('.'.repeat(100))
    expect(calls).toEqual([])
  })

  // verifies realtime:bound:turn
  it('cuts a turn at 90 seconds', async () => {
    const { hear, events } = setUp()
    await hear(`.....${'#'.repeat(1000)}..........`, 100)
    expect(events).toEqual(['started 200', 'stopped 200 90500', 'started 90500', 'stopped 90500 101000'])
  })

  it('takes no turns without settings', async () => {
    const { hear, events, calls, taker } = setUp(null)
    await hear('.....#####......')
    expect([events, calls]).toEqual([[], []])
    taker.set(SERVER)
    await hear('.....#####......')
    expect(events).toEqual(['started 1800', 'stopped 1800 3100'])
  })

  it('changes its settings in the middle of a turn', async () => {
    const { hear, events, taker } = setUp()
    await hear('.....#####')
    taker.set({ ...SERVER, silenceDurationMs: 1000 })
    await hear('........')
    expect(events).toEqual(['started 200'])
    await hear('...')
    expect(events).toEqual(['started 200', 'stopped 200 2000'])
    await hear('#####')
    taker.set(null)
    await hear('##........')
    expect(events).toEqual(['started 200', 'stopped 200 2000', 'started 2000'])
  })

  it('forgets the sound that the client has cleared', async () => {
    const { hear, events, taker } = setUp()
    await hear('.....####')
    taker.clear()
    await hear('###........')
    expect(events).toEqual(['started 200', 'started 900', 'stopped 900 1700'])
  })

  it('decides nothing once it is closed', async () => {
    const answer = createDeferred<[]>()
    const { hear, events, taker } = setUp(SERVER, { detectSpeech: () => answer.promise })
    await hear('.....####')
    taker.close()
    answer.resolve([])
    await hear('####......')
    taker.set(SEMANTIC)
    taker.setSpeaking(true)
    taker.clear()
    taker.close()
    expect(events).toEqual([])
  })
})

describe('idle time', () => {
  const idle = { ...SERVER, idleTimeoutMs: 2000 }

  it('begins when the last response was played', async () => {
    const { hear, events, taker } = setUp(idle)
    await hear('.'.repeat(30))
    taker.setSpeaking(true)
    await hear('.'.repeat(30))
    expect(events).toEqual([])
    taker.setSpeaking(false)
    await hear('.'.repeat(60))
    expect(events).toEqual(['idle 6000 8000'])
  })

  it('ends with speech', async () => {
    const { hear, events, taker } = setUp(idle)
    taker.setSpeaking(true)
    taker.setSpeaking(false)
    await hear('..........######....................................')
    expect(events).toEqual(['started 700', 'stopped 700 2100'])
  })
})

describe('a detector that fails', () => {
  it('is told once, and asked again after a while', async () => {
    let isBroken = true
    const { hear, events, calls } = setUp(SERVER, {
      detectSpeech: (samples, options) =>
        isBroken ? Promise.reject(new Error('broken')) : detectLoud(samples, options),
    })
    await hear(`.....${'#'.repeat(60)}`)
    expect(events).toEqual(['failed: broken'])
    expect(calls.length).toBeLessThan(5)
    isBroken = false
    await hear(`${'#'.repeat(60)}..........`)
    expect(events).toEqual(['failed: broken', 'started 200', 'stopped 200 13000'])
  })

  it('is aborted when it never settles; the sound is examined after all', async () => {
    let aborted = 0
    const { hear, events, calls, clock } = setUp(SERVER, {
      detectSpeech: (samples, { signal }) => {
        if (calls.length > 1) return detectLoud(samples, { signal })
        signal.addEventListener('abort', () => (aborted += 1))
        return new Promise(() => undefined)
      },
    })
    await hear('.....##########')
    expect(calls).toHaveLength(1)
    await clock.advance(5000)
    await hear('...............')
    expect(aborted).toBe(1)
    expect(events).toEqual(['failed: the call took more than 5000 ms', 'started 200', 'stopped 200 2000'])
  })

  it('that finds speech only at the beginning of what it is given starts no turn', async () => {
    const { hear, events, calls } = setUp(SERVER, { detectSpeech: async () => [{ start: 0.03, end: 0.5 }] })
    await hear(`....................${',#'.repeat(20)}`)
    expect(calls.length).toBeGreaterThan(5)
    expect(events).toEqual([])
  })

  it('that answers nonsense starts no turn', async () => {
    const { hear, events } = setUp(SERVER, {
      detectSpeech: async () => [
        { start: Number.NaN, end: 1 },
        { start: -3, end: 2 },
        { start: 1e9, end: 0 },
        { start: 0.2, end: 0.1 },
        { start: 0.1, end: Number.NaN },
      ],
    })
    await hear('.....##########......')
    expect(events).toEqual([])
  })
})

it('bears sound that is none', async () => {
  const { taker, hear, events } = setUp()
  taker.hear(new Float32Array(0))
  taker.hear(new Float32Array(16_000).fill(Number.NaN))
  taker.hear(new Float32Array(16_000).fill(Number.POSITIVE_INFINITY))
  taker.hear(new Float32Array(16_000).fill(1e30))
  taker.heardOurselves(new Float32Array(1600).fill(Number.NaN))
  await hear('.'.repeat(30))
  await hear('#####......')
  expect(events).toEqual(['started 5700', 'stopped 5700 7000'])
})
