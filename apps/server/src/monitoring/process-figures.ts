import { createHistogram } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** How often the loop is asked how late it is. */
const SAMPLE_MS = 250
const NS_PER_MS = 1e6
const NS_PER_SECOND = 1e9
const NAME = 'nodejs_eventloop_lag'
/** The longest interval of a timer, 24 days. */
const NEVER_MS = 2 ** 31 - 1

/**
 * The figures that every Node program shows, with a lag of the event loop of our own. The client library's watch wakes the
 * process a hundred times a second, also while there is nothing to do, and counts the 10 ms between two looks as lag. This
 * one looks four times a second. What it shows is how long a timer that is due at any moment waits; a pause shorter than
 * the interval may fall between two looks.
 */
export function collectProcessFigures(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  const registers = [registry]
  const gaugeOf = (part: string, what: string, collect?: () => void): Gauge => {
    const name = `${NAME}${part}_seconds`
    registry.removeSingleMetric(name)
    const help = `${what} of the event loop, in seconds.`
    return new Gauge({ name, help, registers, ...(collect === undefined ? {} : { collect }) })
  }

  const seen = createHistogram()
  let last = 0
  // The first sets all of them: they are the figures of one time, which ends with the scrape.
  const lag = gaugeOf('', 'The last seen lag', () => {
    lag.set(last / NS_PER_SECOND)
    if (seen.count === 0) return
    for (const [gauge, read] of gauges) gauge.set(read() / NS_PER_SECOND)
    seen.reset()
  })
  const gauges: readonly (readonly [Gauge, () => number])[] = [
    [gaugeOf('_min', 'The least lag'), () => seen.min],
    [gaugeOf('_max', 'The greatest lag'), () => seen.max],
    [gaugeOf('_mean', 'The mean lag'), () => seen.mean],
    [gaugeOf('_stddev', 'The standard deviation of the lag'), () => seen.stddev],
    [gaugeOf('_p50', 'The 50th percentile of the lag'), () => seen.percentile(50)],
    [gaugeOf('_p90', 'The 90th percentile of the lag'), () => seen.percentile(90)],
    [gaugeOf('_p99', 'The 99th percentile of the lag'), () => seen.percentile(99)],
  ]

  let due = performance.now() + SAMPLE_MS
  setInterval(() => {
    const now = performance.now()
    // Timers are rounded to milliseconds and may be early by a part of one; the histogram begins with 1.
    last = Math.max(1, Math.round((now - due) * NS_PER_MS))
    seen.record(last)
    due = now + SAMPLE_MS
  }, SAMPLE_MS).unref()
}
