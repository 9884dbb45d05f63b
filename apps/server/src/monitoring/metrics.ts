import type { Registry } from 'prom-client'
import { CallSeries } from './call-series.ts'

/** What the server measures, in plain numbers. Labels come from closed sets, never from a client. */
export interface Metrics {
  /**
   * The registry that shows the numbers. The first call loads its library; figures of the process itself, such as the lag
   * of the event loop, begin with that.
   */
  registry(): Promise<Registry>
  /** Duration of a request by method and route pattern (§4.7). */
  observeCall(method: string, pattern: string, seconds: number): void
  /** Tokens of a finished prediction. */
  countTokens(kind: 'prompt' | 'completion', count: number): void
  /** An answer or a call that was delivered without the form that was asked for. */
  countFormMismatch(): void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Makes the metrics of one server. */
export function createMetrics(): Metrics {
  const calls = new CallSeries()
  const counted = { prompt: 0, completion: 0, formMismatches: 0 }
  // A series exists from the start, so that a scrape before the first call already names the metric.
  calls.find('GET', '/healthz')
  let opening: Promise<Registry> | undefined
  return {
    registry() {
      opening ??= import('./registry.ts').then(({ createRegistry }) => createRegistry(calls, counted))
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
