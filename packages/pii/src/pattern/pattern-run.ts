import { contains } from './code-set.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import { MatchList } from './match-list.ts'
import { PrefixSearch } from './prefix-search.ts'
import { Simulation } from './simulation.ts'
import type { SourceText } from './source-text.ts'

/**
 * One pattern on its way through one text. It is told where its literals stand and then, piece by piece, how far it may
 * read.
 *
 * A pattern that begins with a literal is tried from each with an automaton, as long as that does not read much of the
 * text again and again; then, and for a literal inside of the pattern, with a simulation that reads nothing twice.
 */
export class PatternRun {
  readonly matches = new MatchList()
  private readonly pattern: CompiledPattern
  private readonly text: SourceText
  /** Starts of literals that were not looked at yet, ascending. */
  private hits: number[] = []
  private next = 0
  private sorted = true
  /** How many of them were in order when the last piece was read. */
  private sortedCount = 0
  private search: PrefixSearch | undefined
  private simulation: Simulation | undefined
  /** The literal on whose account the simulation reads: a match may begin anywhere up to it. */
  private target = -1

  constructor(pattern: CompiledPattern, text: SourceText) {
    this.pattern = pattern
    this.text = text
    const automaton = pattern.literals?.isPrefix ? pattern.lazyAutomaton : undefined
    if (automaton !== undefined) this.search = new PrefixSearch(automaton, text, this.matches)
  }

  /** A literal of the pattern begins at an offset. */
  addHit(start: number): void {
    const last = this.hits.at(-1)
    if (last !== undefined && start <= last) {
      if (start === last) return
      this.sorted = false
    }
    this.hits.push(start)
  }

  /** Whether reading further could do anything. */
  get isPending(): boolean {
    if (this.pattern.literals === undefined || this.next < this.hits.length) return true
    if (this.search?.isUnderWay === true) return true
    return this.simulation !== undefined && !this.simulation.isIdle
  }

  /** Reads up to an offset. Every literal that begins in front of it must have been told. */
  advance(limit: number): void {
    this.sortNewHits()
    if (this.search !== undefined && !this.tryPrefixes(limit)) {
      // It read too much in vain: from the hit that it was at, on to the simulation.
      this.search = undefined
    }
    if (this.search === undefined) this.simulate(limit)
    if (this.next > 1024) {
      this.hits = this.hits.slice(this.next)
      this.next = 0
    }
    this.sortedCount = this.hits.length
  }

  /** Puts hits of this piece in order: those of different literals come a little mixed. */
  private sortNewHits(): void {
    if (this.sorted) return
    let from = Math.max(this.sortedCount, this.next)
    const least = this.hits.slice(from).reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
    while (from > this.next && (this.hits[from - 1] ?? 0) >= least) from--
    const mixed = [...new Set(this.hits.slice(from))].sort((one, other) => one - other)
    this.hits.length = from
    for (const hit of mixed) this.hits.push(hit)
    this.sorted = true
  }

  /** Whether the search from prefixes may go on. */
  private tryPrefixes(limit: number): boolean {
    const { search } = this
    if (search === undefined) return false
    for (;;) {
      if (search.isUnderWay) {
        const outcome = search.resume(limit)
        if (outcome === 'paused') return true
        if (outcome === 'wasteful') return false
        this.next++
      }
      const hit = this.hits[this.next]
      if (hit === undefined || hit >= limit) return true
      if (hit < this.matches.lastEnd || !this.mayBeginAt(hit)) this.next++
      else if (!search.begin(hit)) return false
    }
  }

  private simulate(limit: number): void {
    this.simulation ??= new Simulation(this.pattern.program, this.text, this.matches)
    const { simulation, text, pattern } = this
    const fromHits = pattern.literals?.isPrefix === true
    // The end of the text is read like a character.
    const last = limit === text.length ? limit + 1 : limit
    for (;;) {
      if (simulation.isIdle && simulation.position > this.target && !this.moveToNextHit(simulation, limit)) return
      while (simulation.position < last) {
        const { position } = simulation
        let begins = !fromHits
        if (fromHits) {
          while ((this.hits[this.next] ?? Number.POSITIVE_INFINITY) < position) this.next++
          if (this.hits[this.next] === position) {
            begins = true
            this.next++
          }
        }
        simulation.advance(begins && position < text.length && this.mayBeginAt(position))
        if (simulation.isIdle && simulation.position > this.target) break
      }
      if (simulation.position >= last) return
    }
  }

  /** Moves an idle simulation to where a match with the next hit could begin; false when there is none to go to yet. */
  private moveToNextHit(simulation: Simulation, limit: number): boolean {
    const { literals } = this.pattern
    if (literals === undefined) return simulation.position < limit
    while ((this.hits[this.next] ?? Number.POSITIVE_INFINITY) < Math.max(simulation.position, this.matches.lastEnd)) {
      this.next++
    }
    const hit = this.hits[this.next]
    if (hit === undefined || hit >= limit) return false
    simulation.moveTo(literals.isPrefix ? hit : this.reachBefore(hit, simulation.position))
    if (!literals.isPrefix) this.next++
    this.target = hit
    return true
  }

  /** The earliest offset from `floor` on at which a match that holds the literal at `hit` could begin. */
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

  private mayBeginAt(position: number): boolean {
    const { notAfter } = this.pattern
    return notAfter === undefined || position === 0 || !contains(notAfter, this.text.codeBefore(position))
  }
}
