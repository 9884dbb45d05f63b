import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { type Candidate, createFailoverGroup } from './failover-group.ts'
import { callWithFailover, type FailoverRequest, MAX_RETRIED_BODY_BYTES, streamWithFailover } from './run.ts'
import { readFailoverSettings } from './settings.ts'
import { TARGET_FULL, TARGET_SKIPPED } from './verdict.ts'

type Outcome = string | SvcError

function start(request: Partial<FailoverRequest> = {}, value: object = {}) {
  const settings = readFailoverSettings({ targets: ['a', 'b', 'c'], ...value }, { own: 'm', isGroup: () => false })
  const group = createFailoverGroup({ settings, now: () => 0 })
  const asked: string[] = []
  const served: Candidate[] = []
  const options: FailoverRequest = {
    group,
    bodyBytes: 10,
    signal: new AbortController().signal,
    onServed: (candidate) => served.push(candidate),
    ...request,
  }
  const answer = async (outcomes: Record<string, Outcome>, { model }: Candidate): Promise<string> => {
    asked.push(model)
    const outcome = outcomes[model] ?? 'fine'
    if (typeof outcome === 'string') return outcome
    throw outcome
  }
  return {
    asked,
    served,
    group,
    states: () => group.states.map(({ status }) => status),
    call: (outcomes: Record<string, Outcome>) => callWithFailover(options, (candidate) => answer(outcomes, candidate)),
    stream: (outcomes: Record<string, readonly Outcome[]>, left?: string[]) =>
      streamWithFailover<string>(options, {
        isContent: (item) => item !== 'role',
        async *attempt({ model }) {
          asked.push(model)
          try {
            for (const outcome of outcomes[model] ?? ['role', 'fine']) {
              if (typeof outcome !== 'string') throw outcome
              yield outcome
            }
          } finally {
            left?.push(model)
          }
        },
      }),
  }
}

const failure = (kind: ConstructorParameters<typeof SvcError>[0], retryAfterMs?: number) =>
  new SvcError(kind, kind, { retryAfterMs })

async function readLast(items: AsyncIterable<string>): Promise<string | undefined> {
  let last: string | undefined
  for await (const item of items) last = item
  return last
}

describe('a call', () => {
  it('is served by the first target', async () => {
    const { call, asked, served } = start()
    expect(await call({})).toBe('fine')
    expect(asked).toEqual(['a'])
    expect(served).toEqual([{ model: 'a', note: undefined }])
  })

  it('goes on to the next when a target is unavailable, which is then down', async () => {
    const { call, asked, served, states } = start()
    expect(await call({ a: failure('unavailable') })).toBe('fine')
    expect(asked).toEqual(['a', 'b'])
    expect(served).toEqual([{ model: 'b', note: 'fallback' }])
    expect(states()).toEqual(['down', 'up', 'up'])
  })

  it('reports each target that failed before its first content, except for an aborted request', async () => {
    const failed: [string, unknown][] = []
    const onFailed = ({ model }: Candidate, error: unknown): number => failed.push([model, error])
    const [a, b] = [failure('unavailable'), failure('invalid_request')]
    await expect(start({ onFailed }).call({ a, b })).rejects.toBe(b)
    expect(failed).toEqual([
      ['a', a],
      ['b', b],
    ])
    await expect(readLast(start({ onFailed }).stream({ a: ['said', a] }))).rejects.toBe(a)
    const left = new AbortController()
    const { stream } = start({ onFailed, signal: left.signal })
    left.abort()
    await expect(readLast(stream({ a: [a] }))).rejects.toMatchObject({ name: 'AbortError' })
    expect(failed).toHaveLength(2)
  })

  it('goes on when a target is rate-limited, which then rests', async () => {
    const { call, group } = start()
    expect(await call({ a: failure('rate_limited', 7000) })).toBe('fine')
    expect(group.states[0]).toMatchObject({ status: 'resting', until: 7000 })
  })

  it('goes on when a target lacks the method; that target stays up', async () => {
    const { call, states } = start()
    expect(await call({ a: failure('not_implemented') })).toBe('fine')
    expect(states()).toEqual(['up', 'up', 'up'])
  })

  it('throws a fault of the request at once', async () => {
    const { call, asked, served, states } = start()
    await expect(call({ a: failure('invalid_request') })).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(asked).toEqual(['a'])
    expect(served).toEqual([])
    expect(states()).toEqual(['up', 'up', 'up'])
  })

  it('that no target serves fails with the error of the last target that was asked', async () => {
    const { call, asked } = start()
    const outcomes = { a: failure('unavailable'), b: failure('timeout'), c: failure('not_implemented') }
    await expect(call(outcomes)).rejects.toMatchObject({ kind: 'timeout' })
    expect(asked).toEqual(['a', 'b', 'c'])
    const unknown = failure('not_implemented')
    await expect(start().call({ a: unknown, b: unknown, c: unknown })).rejects.toBe(unknown)
  })

  describe('that finds targets full', () => {
    const full = (seconds: number) =>
      new SvcError('rate_limited', 'full', { code: TARGET_FULL, retryAfterMs: seconds * 1000 })
    const disabled = new SvcError('unavailable', 'disabled', { code: TARGET_SKIPPED })

    it('goes on to the next and counts no failures', async () => {
      const { call, asked, states } = start()
      expect(await call({ a: full(1) })).toBe('fine')
      expect(asked).toEqual(['a', 'b'])
      expect(states()).toEqual(['up', 'up', 'up'])
    })

    it.each([
      ['all of them', { a: full(3), b: full(2), c: full(4) }, 'b'],
      [
        'and the others disabled, or without the method',
        { a: disabled, b: full(2), c: failure('not_implemented') },
        'b',
      ],
      ['and the others down', { a: failure('unavailable'), b: failure('timeout'), c: full(2) }, 'c'],
      ['and the others resting', { a: full(2), b: failure('rate_limited', 600_000), c: full(3) }, 'a'],
    ] as const)('fails with the shortest wait of the full ones: %s', async (_how, outcomes, soonest) => {
      await expect(start().call(outcomes)).rejects.toBe(outcomes[soonest as 'a'])
    })

    it('fails as the one failed that was asked in earnest, and is not down', async () => {
      const settings = { trip: { errors: 2 } }
      const broken = failure('unavailable')
      const { call, states } = start({}, settings)
      await expect(call({ a: full(1), b: broken, c: full(1) })).rejects.toBe(broken)
      expect(states()).toEqual(['up', 'up', 'up'])
      const again = full(1)
      await expect(call({ a: again, b: broken, c: full(2) })).rejects.toBe(again)
      expect(states()).toEqual(['up', 'down', 'up'])
    })
  })

  it.each([
    [MAX_RETRIED_BODY_BYTES, ['a', 'b']],
    [MAX_RETRIED_BODY_BYTES + 1, ['a']],
  ])('of %i bytes asks %j', async (bodyBytes, expected) => {
    const { call, asked } = start({ bodyBytes })
    await call({ a: failure('unavailable') }).catch(() => {})
    expect(asked).toEqual(expected)
  })

  it('that is aborted asks no other target and counts no failure', async () => {
    const controller = new AbortController()
    const { call, asked, states } = start({ signal: controller.signal })
    const cancelled = failure('unavailable')
    const calling = call({ a: cancelled })
    controller.abort()
    await expect(calling).rejects.toBe(cancelled)
    expect(asked).toEqual(['a'])
    expect(states()).toEqual(['up', 'up', 'up'])
  })
})

describe('a stream', () => {
  const collect = async (items: AsyncIterable<string>, collected: string[] = []) => {
    for await (const item of items) collected.push(item)
    return collected
  }

  it('leaves no trace of a target that fails before its first content', async () => {
    const { stream, asked, served, states } = start()
    const left: string[] = []
    expect(await collect(stream({ a: ['role', failure('unavailable')] }, left))).toEqual(['role', 'fine'])
    expect(asked).toEqual(['a', 'b'])
    expect(left).toEqual(['a', 'b'])
    expect(served).toEqual([{ model: 'b', note: 'fallback' }])
    expect(states()).toEqual(['down', 'up', 'up'])
  })

  it('is never asked for again after its first content, but the target is then down', async () => {
    const { stream, asked, states } = start()
    const collected: string[] = []
    const outcomes = { a: ['role', 'half', failure('unavailable')] }
    await expect(collect(stream(outcomes), collected)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(collected).toEqual(['role', 'half'])
    expect(asked).toEqual(['a'])
    expect(states()).toEqual(['down', 'up', 'up'])
  })

  it('without content is over', async () => {
    const { stream, asked } = start()
    expect(await collect(stream({ a: ['role'] }))).toEqual(['role'])
    expect(asked).toEqual(['a'])
  })

  it('holds back no more than 64 items', async () => {
    const { stream, asked } = start()
    const collected: string[] = []
    const outcomes = { a: [...Array.from({ length: 64 }, () => 'role'), failure('unavailable')] }
    await expect(collect(stream(outcomes), collected)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(collected).toHaveLength(64)
    expect(asked).toEqual(['a'])
  })

  it('that is left early is left at the target and counts no failure', async () => {
    const { stream, states } = start()
    const left: string[] = []
    for await (const item of stream({}, left)) {
      expect(item).toBe('role')
      break
    }
    expect(left).toEqual(['a'])
    expect(states()).toEqual(['up', 'up', 'up'])
  })

  it('throws a fault of the request at once', async () => {
    const { stream, asked } = start()
    await expect(collect(stream({ a: [failure('invalid_request')] }))).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    expect(asked).toEqual(['a'])
  })
})
