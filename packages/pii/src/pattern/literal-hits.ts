/** Starts of a pattern's literals in a text, between the scanner and the search. */
export class LiteralHits {
  private hits: number[] = []
  private at = 0
  private isSorted = true
  /** Number of sorted hits after the last piece. */
  private sortedCount = 0

  /** The first remaining hit; Infinity without one. */
  get next(): number {
    return this.hits[this.at] ?? Number.POSITIVE_INFINITY
  }

  add(start: number): void {
    const last = this.hits.at(-1)
    if (last !== undefined && start <= last) {
      if (start === last) return
      this.isSorted = false
    }
    this.hits.push(start)
  }

  drop(): void {
    this.at++
  }

  dropBelow(position: number): void {
    while (this.next < position) this.at++
  }

  /** Sorts the hits of a piece: hits of different literals come slightly mixed. */
  sort(): void {
    this.forget()
    if (!this.isSorted) {
      let from = Math.max(this.sortedCount, this.at)
      const least = this.hits.slice(from).reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
      while (from > this.at && (this.hits[from - 1] ?? 0) >= least) from--
      const mixed = [...new Set(this.hits.slice(from))].sort((one, other) => one - other)
      this.hits.length = from
      for (const hit of mixed) this.hits.push(hit)
      this.isSorted = true
    }
    this.sortedCount = this.hits.length
  }

  private forget(): void {
    if (this.at <= 1024) return
    this.hits = this.hits.slice(this.at)
    this.sortedCount = Math.max(0, this.sortedCount - this.at)
    this.at = 0
  }
}
