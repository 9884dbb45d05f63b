import type { Histogram } from 'prom-client'

/** A line of the export. */
interface Value {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly sharedLabels: Readonly<Record<string, string>>
  readonly value: number
}

/** A histogram as the registry takes it. */
export interface HistogramExport {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  readonly values: readonly Value[]
}

/** Description of a histogram. */
export type HistogramFacts = Pick<ConstructorParameters<typeof Histogram>[0], 'name' | 'help'> & {
  /** Upper limits of the buckets, ascending, in the unit of the observations. */
  readonly buckets: readonly number[]
}

/**
 * Observations of one series, counted in plain numbers and exported on request. The library's own `observe` builds a
 * text from its labels to find its series each time.
 */
export class PlainSeries {
  readonly buckets: readonly number[]
  /** One count for each bucket, not cumulative, and one for larger values. */
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(buckets: readonly number[]) {
    this.buckets = buckets
    this.#counts = [...buckets, 0].map(() => 0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.buckets.length && value > (this.buckets[bucket] ?? 0)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
    this.#count += 1
  }

  /** Gives its lines of the export. */
  values(name: string, labels: Value['labels']): Value[] {
    let below = 0
    const line = (suffix: string, own: Value['labels'], value: number): Value => {
      return { metricName: `${name}_${suffix}`, labels: own, sharedLabels: {}, value }
    }
    const buckets = this.buckets.map((le, index) => {
      below += this.#counts[index] ?? 0
      return line('bucket', { le, ...labels }, below)
    })
    return [
      ...buckets,
      line('bucket', { le: '+Inf', ...labels }, this.#count),
      line('sum', labels, this.#sum),
      line('count', labels, this.#count),
    ]
  }
}

/** Exports a histogram of plain series in the form that both formats of the registry read. */
export function toExport({ name, help }: HistogramFacts, values: readonly Value[]): HistogramExport {
  return { name, help, type: 'histogram', aggregator: 'sum', values }
}
