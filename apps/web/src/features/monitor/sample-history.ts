/** Places of a history: five minutes of one sample each two seconds. */
export const SLOTS = 150
export const SLOT_MS = 2_000

/** A figure of a device at a time. */
interface Sample {
  readonly at: number
  /** 0 to 100. */
  readonly percent: number
}

/** The last five minutes of some figures. It is kept while the page of the browser is, not by the server. */
export class SampleHistory {
  readonly #samples = new Map<string, Sample[]>()

  /** Adds a figure; ignores a second figure of the same time. */
  add(name: string, at: number, percent: number | undefined): void {
    if (percent === undefined) return
    const samples = this.#samples.get(name) ?? []
    if (samples.at(-1)?.at === at) return
    const oldest = at - SLOTS * SLOT_MS
    this.#samples.set(name, [...samples.filter((sample) => sample.at > oldest), { at, percent }].slice(-SLOTS))
  }

  /** The figures in places of two seconds up to `now`; a place without a sample is undefined. */
  read(name: string, now: number): (number | undefined)[] {
    const values: (number | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
    for (const { at, percent } of this.#samples.get(name) ?? []) {
      const slot = SLOTS - 1 - Math.round((now - at) / SLOT_MS)
      if (slot >= 0 && slot < SLOTS) values[slot] = percent
    }
    return fillSingleGaps(values)
  }
}

/** A sample that came a little late leaves its place empty; the line continues there. */
function fillSingleGaps(values: readonly (number | undefined)[]): (number | undefined)[] {
  return values.map((value, index) => {
    const before = values[index - 1]
    return value === undefined && before !== undefined && values[index + 1] !== undefined ? before : value
  })
}
