import { contains } from './code-set.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import { type Beginnings, RegionSearch } from './counting/region-search.ts'
import { Simulation } from './counting/simulation.ts'
import { LiteralHits } from './literal-hits.ts'
import { MatchList } from './match-list.ts'
import { PrefixSearch } from './prefix-search.ts'
import type { SourceText } from './source-text.ts'

/** Pieces of work on regions in one call: most regions are small. */
const PIECES = 4

/**
 * The search for one pattern in one text. It receives the positions of its literals and then, piece by piece, the limit
 * of reading.
 *
 * A pattern that begins with a literal is tried from each position with an automaton, as long as that does not read
 * much of the text repeatedly. Afterwards, and for a literal inside the pattern, the text around the literals is read
 * as a region.
 */
export class PatternRun implements Beginnings {
  readonly matches = new MatchList()
  private readonly pattern: CompiledPattern
  private readonly text: SourceText
  private readonly hits = new LiteralHits()
  private search: PrefixSearch | undefined
  private simulation: Simulation | undefined
  private regions: RegionSearch | undefined
  /** The literal behind the current reading of the simulation: a match may begin anywhere up to it. */
  private target = -1

  constructor(pattern: CompiledPattern, text: SourceText) {
    this.pattern = pattern
    this.text = text
    const asksAutomaton = pattern.literals?.isPrefix === true && pattern.fixedTexts === undefined
    const automaton = asksAutomaton ? pattern.lazyAutomaton : undefined
    if (automaton !== undefined) this.search = new PrefixSearch(automaton, text, this.matches)
  }

  /** A literal of the pattern begins at an offset. */
  addHit(start: number): void {
    this.hits.add(start)
  }

  /** Whether reading further can have an effect. */
  get isPending(): boolean {
    if (this.pattern.literals === undefined || this.hits.next < Number.POSITIVE_INFINITY) return true
    if (this.search?.isUnderWay === true || this.regions?.isUnderWay === true) return true
    return this.simulation !== undefined && !this.simulation.isIdle
  }

  /** Reads a piece before an offset; false at the end. All literals that begin before it must have been added. */
  advance(limit: number): boolean {
    this.hits.sort()
    const { fixedTexts } = this.pattern
    if (fixedTexts !== undefined) {
      this.takeFixedTexts(fixedTexts, limit)
      return false
    }
    if (this.search !== undefined) {
      if (this.tryPrefixes(limit)) return false
      // It read too much in vain: the other methods continue from its current hit.
      this.search = undefined
    }
    if (this.pattern.counting !== undefined) return this.readRegions(limit)
    this.simulate(limit)
    return false
  }

  mayBeginNext(position: number): boolean {
    if (this.pattern.literals?.isPrefix === true) {
      this.hits.dropBelow(position)
      if (this.hits.next !== position) return false
      this.hits.drop()
    }
    return this.isAllowed(position)
  }

  isAllowed(position: number): boolean {
    const { notAfter } = this.pattern
    return notAfter === undefined || position === 0 || !contains(notAfter, this.text.codeBefore(position))
  }

  /** Takes the longest text at each position. */
  private takeFixedTexts(texts: ReadonlyMap<number, readonly string[]>, limit: number): void {
    const { hits, matches } = this
    const { text } = this.text
    for (let hit = hits.next; hit < limit; hit = hits.next) {
      hits.drop()
      if (hit < matches.lastEnd || !this.isAllowed(hit)) continue
      const found = texts.get(text.charCodeAt(hit))?.find((one) => text.startsWith(one, hit))
      if (found !== undefined) matches.add(hit, hit + found.length)
    }
  }

  /** Whether the search from prefixes may continue. */
  private tryPrefixes(limit: number): boolean {
    const { search, hits } = this
    if (search === undefined) return false
    for (;;) {
      if (search.isUnderWay) {
        const outcome = search.resume(limit)
        if (outcome === 'paused') return true
        if (outcome === 'wasteful') return false
        hits.drop()
      }
      const hit = hits.next
      if (hit >= limit) return true
      if (hit < this.matches.lastEnd || !this.isAllowed(hit)) hits.drop()
      else if (!search.begin(hit)) return false
    }
  }

  /** Whether there is more to read before the limit. */
  private readRegions(limit: number): boolean {
    const { counting } = this.pattern
    if (counting === undefined) return false
    this.regions ??= new RegionSearch(counting, this.text, this.matches, this)
    const { regions } = this
    for (let pieces = 0; ; ) {
      if (!regions.isUnderWay) {
        const start = this.nextStart(regions.position, limit)
        if (start < 0) return false
        regions.begin(start, this.target)
      }
      if (!regions.advance(limit)) return false
      if (++pieces === PIECES) return true
    }
  }

  private simulate(limit: number): void {
    this.simulation ??= new Simulation(this.pattern.program, this.text, this.matches)
    const { simulation, text } = this
    // The end of the text is read like a character.
    const last = limit === text.length ? limit + 1 : limit
    for (;;) {
      if (simulation.isIdle && simulation.position > this.target) {
        const start = this.nextStart(simulation.position, limit)
        if (start < 0) return
        simulation.moveTo(start)
      }
      while (simulation.position < last) {
        const { position } = simulation
        simulation.advance(position < text.length && this.mayBeginNext(position))
        if (simulation.isIdle && simulation.position > this.target) break
      }
      if (simulation.position >= last) return
    }
  }

  /** The earliest possible start of a match with the next hit, from an offset on; -1 while there is none. */
  private nextStart(from: number, limit: number): number {
    const { literals } = this.pattern
    if (literals === undefined) return from < limit ? from : -1
    const { hits } = this
    hits.dropBelow(Math.max(from, this.matches.lastEnd))
    const hit = hits.next
    if (hit >= limit) return -1
    this.target = hit
    if (literals.isPrefix) return hit
    hits.drop()
    return this.reachBefore(hit, from)
  }

  /** The earliest start from `floor` on of a match that contains the literal at `hit`. */
  private reachBefore(hit: number, floor: number): number {
    const { literals } = this.pattern
    if (literals === undefined) return floor
    const { text } = this
    const least = Math.max(floor, hit - literals.maxBefore)
    let at = hit
    while (at > least) {
      const code = text.codeBefore(at)
      if (!contains(literals.before, code)) break
      at -= code > 0xffff ? 2 : 1
    }
    return Math.max(at, floor)
  }
}
