import { describe, expect, it } from 'vitest'
import { readFailoverSettings } from './settings.ts'

const targets = [{ model: 'a' }, { model: 'b', warm: true }]
const read = (value: unknown) =>
  readFailoverSettings(value, { own: 'own', isGroup: (model) => model === 'other-group' })

describe('failover settings', () => {
  it('have defaults', () => {
    expect(read({ targets })).toEqual({
      targets: [
        { model: 'a', warm: false },
        { model: 'b', warm: true },
      ],
      probe: { intervalMs: 15_000, timeoutMs: 5000 },
      trip: { errors: 1, windowMs: 30_000 },
      recovery: { probes: 3, minDwellMs: 60_000 },
    })
  })

  it('take times with units, numbers as seconds, and bare names', () => {
    expect(
      read({
        targets: ['a', 'b'],
        probe: { interval: '500ms', timeout: 2 },
        trip: { errors: 5, window: '1.5m' },
        recovery: { probes: 1, min_dwell: '1h' },
      }),
    ).toMatchObject({
      probe: { intervalMs: 500, timeoutMs: 2000 },
      trip: { errors: 5, windowMs: 90_000 },
      recovery: { probes: 1, minDwellMs: 3_600_000 },
    })
  })

  it('round parts of a millisecond up, as timers do, and allow no minimum downtime', () => {
    expect(read({ targets, probe: { timeout: '1000.6ms' }, recovery: { min_dwell: 0 } })).toMatchObject({
      probe: { timeoutMs: 1001 },
      recovery: { minDwellMs: 0 },
    })
  })

  it.each([
    [undefined, 'failover'],
    [[], 'failover'],
    [{}, 'failover.targets'],
    [{ targets: ['a'] }, 'failover.targets'],
    [{ targets: Array.from({ length: 17 }, (_, index) => `m${index}`) }, 'failover.targets'],
    [{ targets: ['a', ''] }, 'failover.targets[1].model'],
    [{ targets: ['a', { warm: true }] }, 'failover.targets[1].model'],
    [{ targets: ['a', { model: 'b', warm: 'yes' }] }, 'failover.targets[1].warm'],
    [{ targets: ['a', 'a'] }, 'failover.targets[1].model'],
    [{ targets: ['own', 'a'] }, 'failover.targets[0].model'],
    [{ targets: ['a', 'other-group'] }, 'failover.targets[1].model'],
    [{ targets, probe: 3 }, 'failover.probe'],
    [{ targets, probe: { interval: '15' } }, 'failover.probe.interval'],
    [{ targets, probe: { timeout: -1 } }, 'failover.probe.timeout'],
    [{ targets, probe: { interval: 0 } }, 'failover.probe.interval'],
    [{ targets, probe: { interval: '0.4ms' } }, 'failover.probe.interval'],
    [{ targets, probe: { interval: '600h' } }, 'failover.probe.interval'],
    [{ targets, probe: { timeout: '0s' } }, 'failover.probe.timeout'],
    [{ targets, probe: { timeout: 2_147_484 } }, 'failover.probe.timeout'],
    [{ targets, trip: { errors: 0 } }, 'failover.trip.errors'],
    [{ targets, trip: { window: 0 } }, 'failover.trip.window'],
    [{ targets, trip: { window: '1d' } }, 'failover.trip.window'],
    [{ targets, recovery: { probes: 1.5 } }, 'failover.recovery.probes'],
  ])('%j are refused at %s', (value, param) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({ code: 'invalid_failover_settings', details: { param } }),
    )
  })
})
