import { ERROR_KINDS, SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamStatusError } from '../upstream-error.ts'
import { createFailoverGroup, type FailoverEvent } from './failover-group.ts'
import { readFailoverSettings } from './settings.ts'
import { TARGET_FULL, TARGET_SKIPPED, toVerdict, type Verdict } from './verdict.ts'

function start(value: object = {}) {
  let time = 1000
  const events: FailoverEvent[] = []
  const settings = readFailoverSettings({ targets: ['a', 'b', 'c'], ...value }, { own: 'm', isGroup: () => false })
  const group = createFailoverGroup({ settings, now: () => time, onEvent: (event) => events.push(event) })
  return {
    group,
    events,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
    order: () => group.candidates().map(({ model, note }) => (note === undefined ? model : `${model} ${note}`)),
  }
}

describe('verdicts of failures', () => {
  it.each([
    ['unavailable', 'down'],
    ['upstream_failed', 'down'],
    ['timeout', 'down'],
    ['rate_limited', 'resting'],
    ['not_implemented', 'skipped'],
  ] as const)('%s: %s', (kind, verdict) => {
    expect(toVerdict(new SvcError(kind, 'x'))).toBe(verdict)
  })

  it('anything else: the caller gets it', () => {
    const listed = new Set(['unavailable', 'upstream_failed', 'timeout', 'rate_limited', 'not_implemented'])
    for (const kind of ERROR_KINDS.filter((word) => !listed.has(word))) {
      expect(toVerdict(new SvcError(kind, 'x'))).toBe('final')
    }
    expect(toVerdict(new Error('x'))).toBe('final')
  })

  it('of a target that is full or disabled: ask the next one', () => {
    expect(toVerdict(new SvcError('rate_limited', 'full', { code: TARGET_FULL }))).toBe('skipped')
    expect(toVerdict(new SvcError('unavailable', 'disabled', { code: TARGET_SKIPPED }))).toBe('skipped')
  })

  it.each([
    [500, 'down'],
    [503, 'down'],
    [529, 'down'],
    [501, 'skipped'],
    [429, 'resting'],
    [400, 'final'],
    [401, 'final'],
    [404, 'final'],
  ])('of an upstream with status %i: %s', (status, verdict) => {
    expect(toVerdict(new UpstreamStatusError({ status, headers: [] }, new Uint8Array()))).toBe(verdict)
  })
})

describe('a failover group', () => {
  it('asks its targets in order', () => {
    expect(start().order()).toEqual(['a', 'b fallback', 'c fallback'])
  })

  it('asks a target that is down last', () => {
    const { group, order, events } = start()
    group.report('a', 'down')
    expect(order()).toEqual(['b fallback', 'c fallback', 'a degraded'])
    expect(events).toEqual([{ type: 'target-state', model: 'a', from: 'up', to: 'down' }])
  })

  it('counts failures in a window before a target is down', () => {
    const { group, order, pass } = start({ trip: { errors: 2, window: '10s' } })
    group.report('a', 'down')
    pass(11)
    group.report('a', 'down')
    expect(order()[0]).toBe('a')
    pass(9)
    group.report('a', 'down')
    expect(order()[0]).toBe('b fallback')
  })

  it('forgets failures when a target serves', () => {
    const { group, order } = start({ trip: { errors: 2 } })
    group.report('a', 'down')
    group.report('a', 'good')
    group.report('a', 'down')
    expect(order()[0]).toBe('a')
  })

  it('counts no failure for a target that was skipped or refused the request', () => {
    const { group, order, events } = start()
    for (const verdict of ['skipped', 'final'] as const) group.report('a', verdict)
    expect(order()[0]).toBe('a')
    expect(events).toEqual([])
  })

  it('lets a rate-limited target rest for as long as it said', () => {
    const { group, order, pass, events } = start()
    group.report('a', 'resting', 7000)
    expect(order()).toEqual(['b fallback', 'c fallback'])
    pass(6.999)
    expect(order()).not.toContain('a')
    pass(0.001)
    expect(order()[0]).toBe('a')
    expect(events.map((event) => 'to' in event && event.to)).toEqual(['resting', 'up'])
  })

  it('lets a target rest for the probe interval when it names no time, and never longer than an hour', () => {
    const { group, pass, order } = start()
    group.report('a', 'resting')
    group.report('b', 'resting', Number.MAX_SAFE_INTEGER)
    pass(15)
    expect(order()).toContain('a')
    pass(3600)
    expect(order()).toContain('b fallback')
  })

  it('says when to come back where all are resting', () => {
    const { group, pass } = start()
    group.report('a', 'resting', 7000)
    group.report('b', 'resting', 5000)
    group.report('c', 'resting', 9000)
    pass(2)
    expect(() => group.candidates()).toThrow(
      expect.objectContaining({ kind: 'rate_limited', retryAfterMs: 3000, details: { type: 'rate_limit_error' } }),
    )
  })

  it('asks targets that are down as a last resort', () => {
    const { group, order } = start()
    for (const model of ['a', 'b', 'c']) group.report(model, 'down')
    expect(order()).toEqual(['a degraded', 'b degraded', 'c degraded'])
  })

  it('tells when another target serves', () => {
    const { group, events } = start()
    expect(group.serving).toBe('a')
    group.report('a', 'good')
    group.report('b', 'good')
    group.report('b', 'good')
    expect(group.serving).toBe('b')
    group.report('a', 'good')
    expect(events).toEqual([
      { type: 'switch', from: 'a', to: 'b' },
      { type: 'switch', from: 'b', to: 'a' },
    ])
  })

  it('ignores models outside of the group', () => {
    const { group, events } = start()
    group.report('x', 'down')
    group.reportProbe('x', true)
    expect(events).toEqual([])
    expect(() => group.pin('x')).toThrow(expect.objectContaining({ kind: 'not_found' }))
  })
})

describe('recovery', () => {
  it('takes enough good probes in a row, and time', () => {
    const { group, order, pass } = start({ recovery: { probes: 2, min_dwell: '60s' } })
    group.report('a', 'down')
    pass(30)
    for (const isGood of [true, false, true]) group.reportProbe('a', isGood)
    pass(29)
    group.reportProbe('a', true)
    expect(order()[0]).toBe('b fallback')
    pass(1)
    group.reportProbe('a', true)
    expect(order()[0]).toBe('a')
  })

  it('counts a request that it served, and starts anew after one that it did not', () => {
    const { group, pass } = start({ recovery: { probes: 2, min_dwell: 0 } })
    group.report('a', 'down')
    pass(1)
    group.report('a', 'good')
    group.report('a', 'down')
    group.report('a', 'good')
    expect(group.states[0]?.status).toBe('down')
    group.report('a', 'good')
    expect(group.states[0]?.status).toBe('up')
  })

  it('is due at the configured intervals, for targets that are down only', () => {
    const { group, pass } = start({ probe: { interval: '15s' } })
    group.report('a', 'down')
    group.report('b', 'resting', 60_000)
    expect(group.dueProbes()).toEqual([])
    pass(15)
    const due = [{ model: 'a', isLast: false }]
    expect(group.dueProbes()).toEqual(due)
    expect(group.dueProbes()).toEqual([])
    pass(15)
    expect(group.dueProbes()).toEqual(due)
    group.reportProbe('c', true)
    expect(group.states.map(({ status, goodProbes }) => [status, goodProbes])).toEqual([
      ['down', 0],
      ['resting', 0],
      ['up', 0],
    ])
  })

  it('marks the probe that may bring a target back', () => {
    const { group, pass } = start({ probe: { interval: '10s' }, recovery: { probes: 3, min_dwell: '25s' } })
    group.report('a', 'down')
    const looks: unknown[] = []
    for (let look = 0; look < 3; look += 1) {
      pass(10)
      looks.push(group.dueProbes()[0]?.isLast)
      group.reportProbe('a', true)
    }
    expect(looks).toEqual([false, false, true])
    expect(group.states[0]?.status).toBe('up')
  })

  it('does not recover at the end of a rest: a target that is down stays down', () => {
    const { group, pass } = start()
    group.report('a', 'down')
    group.report('a', 'resting', 1000)
    pass(2)
    expect(group.states[0]).toMatchObject({ status: 'down', until: undefined })
  })
})

describe('a pinned target', () => {
  it('is asked alone, however it is', () => {
    const { group, order, events } = start()
    group.pin('b')
    expect(order()).toEqual(['b fallback'])
    group.report('b', 'down')
    expect(order()).toEqual(['b degraded'])
    expect(group.pinned).toBe('b')
    group.pin(undefined)
    group.pin(undefined)
    expect(order()[0]).toBe('a')
    expect(events.filter(({ type }) => type === 'pin')).toEqual([
      { type: 'pin', model: 'b' },
      { type: 'pin', model: undefined },
    ])
  })
})

it('always has a candidate or a waiting time; asks each at most once, targets that are up first', () => {
  const step = fc.record({
    model: fc.constantFrom('a', 'b', 'c'),
    verdict: fc.constantFrom<Verdict | 'good' | 'probe' | 'bad-probe'>(
      'down',
      'resting',
      'skipped',
      'final',
      'good',
      'probe',
      'bad-probe',
    ),
    seconds: fc.nat(40),
  })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 3 }), (steps, errors) => {
      const { group, pass } = start({ trip: { errors } })
      for (const { model, verdict, seconds } of steps) {
        pass(seconds)
        if (verdict === 'probe' || verdict === 'bad-probe') group.reportProbe(model, verdict === 'probe')
        else group.report(model, verdict, seconds * 1000)
        const status = new Map(group.states.map((state) => [state.model, state.status]))
        let models: string[]
        try {
          models = group.candidates().map((candidate) => candidate.model)
        } catch (error) {
          expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: expect.any(Number) })
          expect([...status.values()]).toEqual(['resting', 'resting', 'resting'])
          continue
        }
        expect(new Set(models).size).toBe(models.length)
        const asked = models.map((name) => status.get(name))
        expect(asked).not.toContain('resting')
        expect(asked).toEqual(asked.toSorted().toReversed())
      }
    }),
  )
})
