/** Where literals of a pattern begin in a text, on their way from the scanner to the search. */
export class LiteralHits {
  private hits: number[] = []
  private at = 0
  private isSorted = true
  /** How many of them were in order when the last piece was read. */
  private sortedCount = 0

  /** The first that was not dropped; Infinity when there is none. */
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

  /** Puts what was added for a piece in order: hits of different literals come a little mixed. */
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
