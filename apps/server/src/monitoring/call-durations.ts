import { Histogram, type Registry } from 'prom-client'

/** Upper bounds of the buckets, seconds: from a discovery read to a long generation. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const NAME = 'api_call'
const HELP = 'Duration of API calls in seconds by HTTP method and route.'

type Labels = 'method' | 'path'

/** A line of the export. */
interface Value {
  readonly metricName: string
  readonly labels: Partial<Record<Labels | 'le', string | number>>
  readonly sharedLabels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric as the registry takes it. */
interface Export {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  readonly values: readonly Value[]
}

/** The calls of one method and route. */
interface Series {
  /** By bucket, not summed up; one more for all that took longer. */
  readonly counts: number[]
  seconds: number
  calls: number
}

/**
 * The histogram of call durations (§4.7). Calls are counted in plain numbers, and put together with their labels when
 * somebody asks: the library's own `observe` looks its series up by a text made of its labels each time.
 */
export class CallDurations extends Histogram<Labels> {
  /** By route pattern, then by method: as many as there are rows. */
  readonly #series = new Map<string, Map<string, Series>>()

  constructor(registry: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['method', 'path'],
      buckets: BUCKETS,
      registers: [registry],
    })
  }

  /** Counts a call. */
  add(method: string, path: string, seconds: number): void {
    const series = this.seriesOf(method, path)
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.seconds += seconds
    series.calls += 1
  }

  /** The series of a method and route, which exists from now on. */
  seriesOf(method: string, path: string): Series {
    const known = this.#series.get(path)?.get(method)
    if (known !== undefined) return known
    const made: Series = { counts: [...BUCKETS, 0].map(() => 0), seconds: 0, calls: 0 }
    const byMethod = this.#series.get(path) ?? new Map<string, Series>()
    this.#series.set(path, byMethod.set(method, made))
    return made
  }

  /** What both formats of the registry are made of, in place of what the library's own counting would give. */
  async getForPromString(): Promise<Export> {
    const values: Value[] = []
    for (const [path, byMethod] of this.#series) {
      for (const [method, series] of byMethod) values.push(...valuesOf({ method, path }, series))
    }
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values }
  }
}

function valuesOf(labels: Value['labels'], { counts, seconds, calls }: Series): Value[] {
  let sum = 0
  const line = (suffix: string, own: Value['labels'], value: number): Value => {
    return { metricName: `${NAME}_${suffix}`, labels: own, sharedLabels: {}, value }
  }
  const buckets = BUCKETS.map((le, index) => {
    sum += counts[index] ?? 0
    return line('bucket', { le, ...labels }, sum)
  })
  return [
    ...buckets,
    line('bucket', { le: '+Inf', ...labels }, calls),
    line('sum', labels, seconds),
    line('count', labels, calls),
  ]
}
