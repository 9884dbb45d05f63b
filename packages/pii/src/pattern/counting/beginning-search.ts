import type { SourceText } from '../source-text.ts'
import { isPlace, SPACINGS, toPlace, toPlaceNumber } from './checkpoints.ts'
import type { CountingAutomaton } from './counting-automaton.ts'
import { CountingWalk, type Snapshot } from './counting-walk.ts'
import { findGuards } from './guards.ts'
import { Marks } from './marks.ts'

/** Characters that one call reads. */
const PIECE_UNITS = 1 << 11

/** States at positions of one distance, in one part of a text. */
interface Level {
  readonly spacing: number
  readonly kept: Map<number, Snapshot>
  /** Start of the part; -1: nothing is kept. */
  first: number
}

/**
 * Reads a region of a text from the right and marks the beginnings of matches. The states on the way can be queried
 * afterwards: a few are kept, and the states between them are found by reading one part again.
 */
export class BeginningSearch {
  /** Beginnings of matches. */
  readonly found = new Marks()
  private readonly automaton: CountingAutomaton
  private readonly text: SourceText
  private readonly ends: Marks
  private readonly isAllowed: (position: number) => boolean
  private readonly walk: CountingWalk
  private floor = 0
  private at = 0
  private readonly levels: readonly Level[] = SPACINGS.map((spacing) => ({ spacing, kept: new Map(), first: -1 }))
  /** The level that is kept on the way: the finest for a short region. */
  private top = 0

  /** @param ends possible ends of matches */
  constructor(automaton: CountingAutomaton, text: SourceText, ends: Marks, isAllowed: (position: number) => boolean) {
    this.automaton = automaton
    this.text = text
    this.ends = ends
    this.isAllowed = isAllowed
    this.walk = new CountingWalk(automaton.backward)
  }

  /** Begins at the last of the ends, to go down to `floor`. */
  begin(floor: number): void {
    this.floor = floor
    this.at = this.ends.highest
    this.found.begin(floor)
    this.walk.clear()
    const length = this.at - floor
    this.top = SPACINGS.findIndex((spacing, level) => spacing < length || level === SPACINGS.length - 1)
    for (const level of this.levels) {
      if (level.kept.size > 0) level.kept.clear()
      level.first = -1
    }
  }

  /** Reads a piece; false at the end of the region. */
  advance(): boolean {
    const { walk, text } = this
    const until = this.at - PIECE_UNITS
    while (this.at > until) {
      if (walk.isIdle && !this.goToEnd(this.floor)) return false
      const guards = findGuards(this.automaton.positions, text, this.at)
      if (walk.accepts(guards) && this.isAllowed(this.at)) this.found.add(this.at)
      if (this.at <= this.floor) return false
      this.read(guards)
      this.keep(this.top)
    }
    return true
  }

  /** The state at a checkpoint; undefined for an empty one. */
  knownAt(checkpoint: number): Snapshot | undefined {
    const finest = SPACINGS.length - 1
    this.load(finest, checkpoint)
    return this.levels[finest]?.kept.get(checkpoint)
  }

  /** Reads the part around an offset again, unless a level already has it. */
  private load(number: number, offset: number): void {
    const { text, walk, floor } = this
    const level = this.levels[number]
    const above = this.levels[number - 1]
    if (number <= this.top || level === undefined || above === undefined) return
    const part = toPlaceNumber(text, offset, above.spacing)
    const first = toPlace(text, part, above.spacing)
    if (level.first === first) return
    this.load(number - 1, offset)
    level.kept.clear()
    level.first = first
    walk.clear()
    this.at = toPlace(text, part + 1, above.spacing)
    const known = above.kept.get(this.at)
    if (known !== undefined) {
      walk.goTo(known)
      level.kept.set(this.at, known)
    }
    this.at = Math.min(this.at, this.ends.highest)
    while (this.at > Math.max(first, floor)) {
      if (walk.isIdle && (!this.goToEnd(Math.max(first, floor)) || this.at <= first)) return
      this.read(findGuards(this.automaton.positions, text, this.at))
      this.keep(number)
    }
  }

  private keep(number: number): void {
    const level = this.levels[number]
    if (level === undefined || this.walk.isIdle || !isPlace(this.text, this.at, level.spacing)) return
    level.kept.set(this.at, this.walk.snapshot())
  }

  /** Goes to the nearest end in front; false without one from `floor` on. */
  private goToEnd(floor: number): boolean {
    const end = this.ends.previous(this.at)
    if (end < floor) return false
    this.at = end
    return true
  }

  private read(guards: number): void {
    const code = this.text.codeBefore(this.at)
    this.walk.read(this.automaton.positions.alphabet.toClass(code), guards, this.ends.has(this.at))
    this.at -= code > 0xffff ? 2 : 1
  }
}
