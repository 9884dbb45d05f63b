import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type StopParts, stopServing } from './stop-serving.ts'

/** A server that is stopped, with the times of its events. */
function world({
  drainedAfterMs,
  featuresMs = 0,
}: {
  readonly drainedAfterMs?: number
  readonly featuresMs?: number
} = {}) {
  const clock = createFakeClock()
  const happened: [name: string, atMs: number][] = []
  const note = (name: string): void => void happened.push([name, clock.monotonic()])
  const parts: StopParts = {
    clock,
    listener: {
      url: '',
      port: 0,
      drain: () => (drainedAfterMs === undefined ? new Promise(() => undefined) : clock.sleep(drainedAfterMs)),
      destroy: () => note('connections ended'),
    },
    edge: {
      drainSockets: () => note('sockets told'),
      abortAll: ({ code }) => note(`requests ended: ${code}`),
    },
    async closeFeatures() {
      if (featuresMs > 0) await clock.sleep(featuresMs)
      note('features closed')
    },
    async stopBackends(graceMs) {
      note('backends told')
      // Each step takes as long as it may.
      await clock.sleep(graceMs)
      note('backends gone')
    },
  }
  return { clock, happened, stopped: stopServing(parts) }
}

describe('a stop', () => {
  it('takes at most 5 seconds, for any requests and backends', async () => {
    const { clock, happened, stopped } = world()
    await clock.advance(5000)
    await stopped
    expect(happened).toEqual([
      ['sockets told', 0],
      ['requests ended: shutting_down', 3000],
      ['connections ended', 3250],
      ['features closed', 3250],
      ['backends told', 3250],
      ['backends gone', 4500],
    ])
  })

  it('waits no longer than the last request, and gives the backends the rest', async () => {
    const { clock, happened, stopped } = world({ drainedAfterMs: 40 })
    await clock.advance(5000)
    await stopped
    expect(happened.slice(2)).toEqual([
      ['connections ended', 40],
      ['features closed', 40],
      ['backends told', 40],
      ['backends gone', 4500],
    ])
  })

  it('takes the time of its features from that of the backends', async () => {
    const { clock, happened, stopped } = world({ drainedAfterMs: 40, featuresMs: 700 })
    await clock.advance(5000)
    await stopped
    expect(happened.slice(3)).toEqual([
      ['features closed', 740],
      ['backends told', 740],
      ['backends gone', 4500],
    ])
  })
})
