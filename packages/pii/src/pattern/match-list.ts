/** Numbers of one page: whole matches. */
const PAGE_NUMBERS = 1 << 13

/**
 * The matches of one pattern in one text during the search: ascending, never overlapping. A match may still be replaced
 * by a longer one or by one that starts earlier; the matches that it covers are then dropped. Eight bytes a match.
 */
export class MatchList {
  /** Start and end of each, flat. */
  private readonly pages: Int32Array[] = []
  count = 0

  /** End of the last match; 0 without any. */
  get lastEnd(): number {
    return this.count === 0 ? 0 : this.endAt(this.count - 1)
  }

  private startAt(index: number): number {
    return this.pages[Math.floor((index * 2) / PAGE_NUMBERS)]?.[(index * 2) % PAGE_NUMBERS] ?? 0
  }

  private endAt(index: number): number {
    return this.pages[Math.floor((index * 2) / PAGE_NUMBERS)]?.[(index * 2 + 1) % PAGE_NUMBERS] ?? 0
  }

  /** Adds a match, replacing every one that starts at the same position or later. */
  add(start: number, end: number): void {
    while (this.count > 0 && this.startAt(this.count - 1) >= start) this.count--
    const at = this.count * 2
    const number = Math.floor(at / PAGE_NUMBERS)
    let page = this.pages[number]
    if (page === undefined) {
      // Most texts have few matches.
      page = new Int32Array(number === 0 ? 16 : PAGE_NUMBERS)
      this.pages.push(page)
    } else if (at % PAGE_NUMBERS >= page.length) {
      const grown = new Int32Array(page.length * 2)
      grown.set(page)
      page = grown
      this.pages[number] = page
    }
    page[at % PAGE_NUMBERS] = start
    page[(at % PAGE_NUMBERS) + 1] = end
    this.count++
  }

  /** Start and end of each match, in order. */
  *spans(): Generator<[number, number]> {
    for (let index = 0; index < this.count; index++) yield [this.startAt(index), this.endAt(index)]
  }
}
