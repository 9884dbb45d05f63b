/**
 * The matches of one pattern in one text while they are being found: ascending, never overlapping. A match may still be
 * replaced by a longer one or by one that starts earlier; whatever such a match covers is then gone.
 */
export class MatchList {
  /** Start and end of each, flat. */
  private readonly flat: number[] = []

  get count(): number {
    return this.flat.length / 2
  }

  /** Where the last match ends; 0 without any. */
  get lastEnd(): number {
    return this.flat[this.flat.length - 1] ?? 0
  }

  /** Adds a match, in place of every one that starts at the same position or later. */
  add(start: number, end: number): void {
    const { flat: spans } = this
    while (spans.length > 0 && (spans[spans.length - 2] ?? 0) >= start) spans.length -= 2
    spans.push(start, end)
  }

  /** Whether a match that would begin at `start` is ruled out by one that begins earlier and covers it. */
  isCovered(start: number): boolean {
    const { flat: spans } = this
    let low = 0
    let high = spans.length / 2
    while (low < high) {
      const middle = (low + high) >> 1
      if ((spans[middle * 2] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return low > 0 && (spans[low * 2 - 1] ?? 0) > start
  }

  /** Start and end of each match, in order. */
  spans(): [number, number][] {
    return Array.from({ length: this.count }, (_, index) => [this.flat[index * 2] ?? 0, this.flat[index * 2 + 1] ?? 0])
  }
}
