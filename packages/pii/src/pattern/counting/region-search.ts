import type { MatchList } from '../match-list.ts'
import type { SourceText } from '../source-text.ts'
import { BeginningSearch } from './beginning-search.ts'
import { findCheckpoint } from './checkpoints.ts'
import type { CountingAutomaton } from './counting-automaton.ts'
import { CountingWalk } from './counting-walk.ts'
import { findGuards } from './guards.ts'
import { Marks } from './marks.ts'
import type { Shape } from './shapes.ts'

/** Characters that one call reads without counting, and with. */
const REACH_UNITS = 1 << 14
const MATCH_UNITS = 1 << 11

/** Possible beginnings of matches, by literals and the preceding character. */
export interface Beginnings {
  /** Whether a match may begin at an offset. Queried in ascending order. */
  mayBeginNext(position: number): boolean
  /** Whether the preceding character allows a match. */
  isAllowed(position: number): boolean
}

/**
 * Finds all leftmost-longest matches in one region of a text after the other. A region is read three times: from the
 * left without counting, to find the reach and the possible ends of matches; from the right with the rounds of all
 * loops, to find the beginnings; and from the left from each relevant beginning. States are never distinguished by
 * their start, so a position in a loop costs no more than its counts. The walk from the right tells whether a match can
 * still grow, so no range is read again for one match after the other.
 */
export class RegionSearch {
  private readonly automaton: CountingAutomaton
  private readonly text: SourceText
  private readonly matches: MatchList
  private readonly beginnings: Beginnings
  private readonly ends = new Marks()
  private readonly search: BeginningSearch
  private readonly walk: CountingWalk
  private phase: 'idle' | 'reach' | 'begin' | 'match' = 'idle'
  private start = 0
  /** The region extends at least past this offset. */
  private target = -1
  private shape: Shape
  private at = 0
  /** Start and end so far of the current match; -1 without one. */
  private from = -1
  private end = -1
  /** The checkpoint at which to check whether the match can still grow; -1: it is known to. */
  private checkAt = -1
  /** UTF-16 offset from which on the next region may begin. */
  position = 0

  constructor(automaton: CountingAutomaton, text: SourceText, matches: MatchList, beginnings: Beginnings) {
    this.automaton = automaton
    this.text = text
    this.matches = matches
    this.beginnings = beginnings
    this.shape = automaton.forward.empty
    this.search = new BeginningSearch(automaton, text, this.ends, (position) => beginnings.isAllowed(position))
    this.walk = new CountingWalk(automaton.forward)
  }

  /** Whether a region is unfinished. */
  get isUnderWay(): boolean {
    return this.phase !== 'idle'
  }

  /** Begins a region that extends at least past `target`. */
  begin(start: number, target: number): void {
    this.start = start
    this.target = target
    this.at = start
    this.shape = this.automaton.forward.empty
    this.ends.begin(start)
    this.phase = 'reach'
  }

  /** Does a piece of the work; false when it must read beyond `limit` to continue. */
  advance(limit: number): boolean {
    if (this.phase === 'reach') return this.reach(limit)
    if (this.phase === 'begin') {
      if (!this.search.advance()) this.beginMatches()
    } else if (!this.findMatches()) this.phase = 'idle'
    return true
  }

  /** Reads on without counting until no attempt is open. */
  private reach(limit: number): boolean {
    const { text, ends, beginnings, target } = this
    const { positions, forward } = this.automaton
    const until = Math.min(limit, this.at + REACH_UNITS)
    let { at, shape } = this
    while (at < until) {
      const guards = findGuards(positions, text, at)
      if ((shape.last[guards]?.length ?? 0) > 0) ends.add(at)
      const code = text.codeAt(at)
      shape = forward.move(shape, positions.alphabet.toClass(code), guards, beginnings.mayBeginNext(at)).next
      at += code > 0xffff ? 2 : 1
      if (shape === forward.empty && at > target) break
    }
    this.at = at
    this.shape = shape
    const isOver = shape === forward.empty && at > target
    if (!isOver && at < text.length) return at < limit
    if ((shape.last[findGuards(positions, text, at)]?.length ?? 0) > 0) ends.add(at)
    this.position = at
    this.phase = ends.highest < 0 ? 'idle' : 'begin'
    if (this.phase === 'begin') this.search.begin(this.start)
    return true
  }

  private beginMatches(): void {
    this.phase = 'match'
    this.beginMatch(this.start)
  }

  /** Goes to the next beginning of a match from an offset on. */
  private beginMatch(floor: number): void {
    this.from = this.search.found.next(floor)
    this.at = this.from
    this.end = -1
    this.checkAt = -1
    this.walk.clear()
  }

  /** Reads a piece from the beginnings of matches; false at the end. */
  private findMatches(): boolean {
    const { walk, text, ends } = this
    const { positions } = this.automaton
    const until = this.at + MATCH_UNITS
    while (this.from >= 0 && this.at < until) {
      const { at } = this
      const guards = findGuards(positions, text, at)
      if (walk.accepts(guards)) {
        this.end = at
        // Reading half of the match again costs less than a check, and most often another end comes before.
        this.checkAt = findCheckpoint(text, at + 1 + ((at - this.from) >> 1))
      }
      const isOver = at >= ends.highest || (walk.isIdle && at > this.from)
      if (isOver || !this.canGrow(guards)) {
        if (this.end > this.from) this.matches.add(this.from, this.end)
        this.beginMatch(Math.max(this.end, this.from + 1))
      }
    }
    return this.from >= 0
  }

  /** Reads a character; returns whether the match may then still become longer. */
  private canGrow(guards: number): boolean {
    const { walk, text, at } = this
    const code = text.codeAt(at)
    walk.read(this.automaton.positions.alphabet.toClass(code), guards, at === this.from)
    this.at += code > 0xffff ? 2 : 1
    if (at !== this.checkAt) return true
    // Either way there is nothing to check before the next end is found.
    this.checkAt = -1
    const known = this.search.knownAt(at)
    return known !== undefined && walk.meets(known)
  }
}
