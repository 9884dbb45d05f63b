import { Histogram, type Registry } from 'prom-client'
import { type HistogramExport, PlainSeries, toExport } from './plain-histogram.ts'

const FACTS = {
  name: 'api_call',
  help: 'Duration of API calls in seconds by HTTP method and route.',
  // From a discovery read to a long generation.
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
}

type Labels = 'method' | 'path'

/** The histogram of call durations (§4.7). */
export class CallDurations extends Histogram<Labels> {
  /** By route pattern, then by method: at most one for each route. */
  readonly #series = new Map<string, Map<string, PlainSeries>>()

  constructor(registry: Registry) {
    super({ ...FACTS, labelNames: ['method', 'path'], registers: [registry] })
  }

  /** Counts a call. */
  add(method: string, path: string, seconds: number): void {
    this.getSeries(method, path).observe(seconds)
  }

  /** Gives the series of a method and route, creating it if necessary. */
  getSeries(method: string, path: string): PlainSeries {
    const known = this.#series.get(path)?.get(method)
    if (known !== undefined) return known
    const made = new PlainSeries(FACTS.buckets)
    const byMethod = this.#series.get(path) ?? new Map<string, PlainSeries>()
    this.#series.set(path, byMethod.set(method, made))
    return made
  }

  /** Both export formats of the registry read this; it replaces the library's own counting. */
  async getForPromString(): Promise<HistogramExport> {
    const values = [...this.#series].flatMap(([path, byMethod]) =>
      [...byMethod].flatMap(([method, series]) => series.values(FACTS.name, { method, path })),
    )
    return toExport(FACTS, values)
  }
}
