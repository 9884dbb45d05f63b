import { PlainSeries } from './plain-histogram.ts'

/** Upper bounds in seconds, from a discovery read to a long generation. */
export const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Durations of calls by route pattern and method: as many series as there are rows. */
export class CallSeries {
  readonly #series = new Map<string, Map<string, PlainSeries>>()

  /** Counts a call. */
  add(method: string, path: string, seconds: number): void {
    this.find(method, path).observe(seconds)
  }

  /** The series of a method and route, which exists from now on. */
  find(method: string, path: string): PlainSeries {
    const known = this.#series.get(path)?.get(method)
    if (known !== undefined) return known
    const made = new PlainSeries(CALL_BUCKETS)
    const byMethod = this.#series.get(path) ?? new Map<string, PlainSeries>()
    this.#series.set(path, byMethod.set(method, made))
    return made
  }

  /** Every series with its labels. */
  all(): { readonly method: string; readonly path: string; readonly series: PlainSeries }[] {
    return [...this.#series].flatMap(([path, byMethod]) =>
      [...byMethod].map(([method, series]) => ({ method, path, series })),
    )
  }
}
