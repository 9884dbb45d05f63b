import type { Registry } from 'prom-client'
import { CallSeries, ServerSeries } from './server-series.ts'

/** The server's measurements, in plain numbers. Labels come from closed sets, never from a client. */
export interface Metrics {
  /** Figures of requests, models and limits. */
  readonly server: ServerSeries
  /**
   * The registry that shows the numbers. The first call loads its library; figures of the process itself, such as the lag
   * of the event loop, begin with that.
   */
  registry(): Promise<Registry>
  /** Observes the duration of a request by method and route pattern (§4.7). */
  observeCall(method: string, pattern: string, seconds: number): void
  /** Counts the tokens of a finished prediction. */
  countTokens(kind: 'prompt' | 'completion', count: number): void
  /** Counts an answer or call that was delivered although it does not match the requested form. */
  countFormMismatch(): void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Creates the metrics of one server. */
export function createMetrics(): Metrics {
  const calls = new CallSeries()
  const server = new ServerSeries()
  const counted = { prompt: 0, completion: 0, formMismatches: 0 }
  // A series exists from the start, so that a scrape before the first call already names the metric.
  calls.find('GET', '/healthz')
  let opening: Promise<Registry> | undefined
  return {
    server,
    registry() {
      opening ??= import('./registry.ts').then(({ createRegistry }) => createRegistry(calls, counted, server))
      return opening
    },
    observeCall(method, pattern, seconds) {
      calls.add(METHODS.has(method) ? method : 'OTHER', pattern, seconds)
    },
    countTokens(kind, count) {
      counted[kind] += count
    },
    countFormMismatch() {
      counted.formMismatches += 1
    },
  }
}
