import { createHistogram } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Interval at which the lag of the event loop is sampled. */
const SAMPLE_MS = 250
const NS_PER_MS = 1e6
const NS_PER_SECOND = 1e9
const NAME = 'nodejs_eventloop_lag'
/** Maximum interval of a timer, 24 days. */
const NEVER_MS = 2 ** 31 - 1

/**
 * Collects the figures of every Node program, with our own lag of the event loop. The client library's monitor wakes
 * the process a hundred times a second, even when idle, and counts its interval of 10 ms as lag. This one samples four
 * times a second. It shows how long a due timer waits; a pause shorter than the interval may go unnoticed.
 */
export function collectProcessFigures(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  const registers = [registry]
  const createGauge = (part: string, what: string, collect?: () => void): Gauge => {
    const name = `${NAME}${part}_seconds`
    registry.removeSingleMetric(name)
    const help = `${what} of the event loop, in seconds.`
    return new Gauge({ name, help, registers, ...(collect === undefined ? {} : { collect }) })
  }

  const seen = createHistogram()
  let last = 0
  // The first gauge sets all of them, because they share one period, which ends with the scrape.
  const lag = createGauge('', 'The last seen lag', () => {
    lag.set(last / NS_PER_SECOND)
    if (seen.count === 0) return
    for (const [gauge, read] of gauges) gauge.set(read() / NS_PER_SECOND)
    seen.reset()
  })
  const gauges: readonly (readonly [Gauge, () => number])[] = [
    [createGauge('_min', 'The least lag'), () => seen.min],
    [createGauge('_max', 'The greatest lag'), () => seen.max],
    [createGauge('_mean', 'The mean lag'), () => seen.mean],
    [createGauge('_stddev', 'The standard deviation of the lag'), () => seen.stddev],
    [createGauge('_p50', 'The 50th percentile of the lag'), () => seen.percentile(50)],
    [createGauge('_p90', 'The 90th percentile of the lag'), () => seen.percentile(90)],
    [createGauge('_p99', 'The 99th percentile of the lag'), () => seen.percentile(99)],
  ]

  let due = performance.now() + SAMPLE_MS
  setInterval(() => {
    const now = performance.now()
    // Timers are rounded to milliseconds and may be early by a fraction; the histogram begins with 1.
    last = Math.max(1, Math.round((now - due) * NS_PER_MS))
    seen.record(last)
    due = now + SAMPLE_MS
  }, SAMPLE_MS).unref()
}
