import type { MatchList } from '../match-list.ts'
import type { SourceText } from '../source-text.ts'
import { BeginningSearch } from './beginning-search.ts'
import { checkpointFrom } from './checkpoints.ts'
import type { CountingAutomaton } from './counting-automaton.ts'
import { CountingWalk } from './counting-walk.ts'
import { guardsAt } from './guards.ts'
import { Marks } from './marks.ts'
import type { Shape } from './shapes.ts'

/** Characters that one call reads without counting, and with. */
const REACH_UNITS = 1 << 14
const MATCH_UNITS = 1 << 11

/** Where matches may begin, as far as literals and the character in front say. */
export interface Beginnings {
  /** Whether a match may begin at an offset. Asked for in ascending order. */
  mayBeginNext(position: number): boolean
  /** Whether the character in front allows for a match. */
  isAllowed(position: number): boolean
}

/**
 * Finds all leftmost-longest matches in one region of a text after the other. A region is read three times: from the left
 * without counting, to see how far matches can reach and where they may end; from the right with the rounds of all loops,
 * which tells where matches begin; and from the left from each beginning that counts. What is under way is never told apart
 * by where it began, so that a place in a loop costs no more than its counts. Whether a match can still grow is asked of the
 * walk from the right, so that no stretch is read again for one match after the other.
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
  /** The region goes on at least up to behind it. */
  private target = -1
  private shape: Shape
  private at = 0
  /** Where the match under way begins, and where it ends so far; -1: none. */
  private from = -1
  private end = -1
  /** The checkpoint at which to ask whether the match can still grow; -1: it is known that it can. */
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

  /** Whether a region is not finished. */
  get isUnderWay(): boolean {
    return this.phase !== 'idle'
  }

  /** Begins a region that goes on at least up to behind `target`. */
  begin(start: number, target: number): void {
    this.start = start
    this.target = target
    this.at = start
    this.shape = this.automaton.forward.empty
    this.ends.begin(start)
    this.phase = 'reach'
  }

  /** Does a piece of the work; false when it has to read beyond `limit` to go on. */
  advance(limit: number): boolean {
    if (this.phase === 'reach') return this.reach(limit)
    if (this.phase === 'begin') {
      if (!this.search.advance()) this.beginMatches()
    } else if (!this.findMatches()) this.phase = 'idle'
    return true
  }

  /** Reads on without counting until nothing is under way. */
  private reach(limit: number): boolean {
    const { text, ends, beginnings, target } = this
    const { positions, forward } = this.automaton
    const until = Math.min(limit, this.at + REACH_UNITS)
    let { at, shape } = this
    while (at < until) {
      const guards = guardsAt(positions, text, at)
      if ((shape.last[guards]?.length ?? 0) > 0) ends.add(at)
      const code = text.codeAt(at)
      shape = forward.move(shape, positions.alphabet.classOf(code), guards, beginnings.mayBeginNext(at)).next
      at += code > 0xffff ? 2 : 1
      if (shape === forward.empty && at > target) break
    }
    this.at = at
    this.shape = shape
    const isOver = shape === forward.empty && at > target
    if (!isOver && at < text.length) return at < limit
    if ((shape.last[guardsAt(positions, text, at)]?.length ?? 0) > 0) ends.add(at)
    this.position = at
    this.phase = ends.highest < 0 ? 'idle' : 'begin'
    if (this.phase === 'begin') this.search.begin(this.start)
    return true
  }

  private beginMatches(): void {
    this.phase = 'match'
    this.beginMatch(this.start)
  }

  /** Goes to the next place from an offset on where a match begins. */
  private beginMatch(floor: number): void {
    this.from = this.search.found.next(floor)
    this.at = this.from
    this.end = -1
    this.checkAt = -1
    this.walk.clear()
  }

  /** Reads a piece from where matches begin; false once all are found. */
  private findMatches(): boolean {
    const { walk, text, ends } = this
    const { positions } = this.automaton
    const until = this.at + MATCH_UNITS
    while (this.from >= 0 && this.at < until) {
      const { at } = this
      const guards = guardsAt(positions, text, at)
      if (walk.accepts(guards)) {
        this.end = at
        // To read half of the match again costs less than to ask, and most often another end comes before.
        this.checkAt = checkpointFrom(text, at + 1 + ((at - this.from) >> 1))
      }
      const isOver = at >= ends.highest || (walk.isIdle && at > this.from)
      if (isOver || !this.canGrow(guards)) {
        if (this.end > this.from) this.matches.add(this.from, this.end)
        this.beginMatch(Math.max(this.end, this.from + 1))
      }
    }
    return this.from >= 0
  }

  /** Reads a character; whether the match may then still become longer. */
  private canGrow(guards: number): boolean {
    const { walk, text, at } = this
    const code = text.codeAt(at)
    walk.read(this.automaton.positions.alphabet.classOf(code), guards, at === this.from)
    this.at += code > 0xffff ? 2 : 1
    if (at !== this.checkAt) return true
    // It can, or not: either way there is nothing to ask before the next end is found.
    this.checkAt = -1
    const known = this.search.knownAt(at)
    return known !== undefined && walk.meets(known)
  }
}
