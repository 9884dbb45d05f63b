import { Counter, Registry } from 'prom-client'
import { CallDurations } from './call-durations.ts'
import { collectProcessFigures } from './process-figures.ts'

/** The server's measurements, on a registry of its own. Labels come from closed sets, never from a client. */
export interface Metrics {
  readonly registry: Registry
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
  const registry = new Registry()
  collectProcessFigures(registry)
  const calls = new CallDurations(registry)
  const counted = { prompt: 0, completion: 0 }
  new Counter({
    name: 'svc_tokens_total',
    help: 'Tokens of finished predictions.',
    labelNames: ['kind'] as const,
    registers: [registry],
    // Counted in plain numbers and exported on request, because labels cost more than the addition.
    collect() {
      this.reset()
      for (const kind of ['prompt', 'completion'] as const) if (counted[kind] > 0) this.inc({ kind }, counted[kind])
    },
  })
  const mismatches = new Counter({
    name: 'svc_answer_form_mismatches_total',
    help: 'Answers and tool calls that were delivered without the form that was asked for.',
    registers: [registry],
  })
  // The series exists from the start, so that a scrape before the first call already names the metric.
  calls.getSeries('GET', '/healthz')
  return {
    registry,
    observeCall(method, pattern, seconds) {
      calls.add(METHODS.has(method) ? method : 'OTHER', pattern, seconds)
    },
    countTokens(kind, count) {
      counted[kind] += count
    },
    countFormMismatch() {
      mismatches.inc()
    },
  }
}
