import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What the server measures, on a registry of its own. Labels come from closed sets, never from a client. */
export interface Metrics {
  readonly registry: Registry
  /** Duration of a request by method and route pattern (§4.7). */
  observeCall(method: string, pattern: string, seconds: number): void
  /** Tokens of a finished prediction. */
  countTokens(kind: 'prompt' | 'completion', count: number): void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Upper bounds of the duration buckets, seconds: from a discovery read to a long generation. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Makes the metrics of one server. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const calls = new Histogram({
    name: 'api_call',
    help: 'Duration of API calls in seconds by HTTP method and route.',
    labelNames: ['method', 'path'] as const,
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const counted = { prompt: 0, completion: 0 }
  new Counter({
    name: 'svc_tokens_total',
    help: 'Tokens of finished predictions.',
    labelNames: ['kind'] as const,
    registers: [registry],
    // Counted in plain numbers and shown when they are asked for: labels cost more than the sum.
    collect() {
      this.reset()
      for (const kind of ['prompt', 'completion'] as const) if (counted[kind] > 0) this.inc({ kind }, counted[kind])
    },
  })
  /** Series by method and route, so that their labels are put together once; as many as there are routes. */
  const series = new Map<string, { observe(value: number): void }>()
  const seriesOf = (method: string, path: string): { observe(value: number): void } => {
    const key = `${method} ${path}`
    const known = series.get(key)
    if (known !== undefined) return known
    const made = calls.labels({ method, path })
    series.set(key, made)
    return made
  }
  // A series exists from the start, so that a scrape before the first call already names the metric.
  calls.zero({ method: 'GET', path: '/healthz' })
  return {
    registry,
    observeCall(method, pattern, seconds) {
      seriesOf(METHODS.has(method) ? method : 'OTHER', pattern).observe(seconds)
    },
    countTokens(kind, count) {
      counted[kind] += count
    },
  }
}
