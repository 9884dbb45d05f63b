import { Histogram, type Registry } from 'prom-client'
import { type HistogramExport, toExport } from './plain-histogram.ts'
import { CALL_BUCKETS, type CallSeries } from './server-series.ts'

const FACTS = {
  name: 'api_call',
  help: 'Duration of API calls in seconds by HTTP method and route.',
  buckets: CALL_BUCKETS,
}

/** The histogram of call durations (§4.7). */
export class CallDurations extends Histogram<'method' | 'path'> {
  readonly #calls: CallSeries

  constructor(registry: Registry, calls: CallSeries) {
    super({ ...FACTS, labelNames: ['method', 'path'], registers: [registry] })
    this.#calls = calls
  }

  /** Both export formats of the registry read this; it replaces the library's own counting. */
  async getForPromString(): Promise<HistogramExport> {
    const values = this.#calls.all().flatMap(({ method, path, series }) => series.values(FACTS.name, { method, path }))
    return toExport(FACTS, values)
  }
}
