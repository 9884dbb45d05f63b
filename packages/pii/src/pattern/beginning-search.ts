import { isCheckpoint } from './checkpoints.ts'
import type { CountingAutomaton } from './counting-automaton.ts'
import { CountingWalk, type Snapshot } from './counting-walk.ts'
import { guardsAt } from './guards.ts'
import { Marks } from './marks.ts'
import type { SourceText } from './source-text.ts'

/** Characters that one call reads. */
const PIECE_UNITS = 1 << 11

/** Of each stretch of so many code units, what was under way at its end is kept. */
const PART_UNITS = 1 << 13

/**
 * Reads a region of a text from the right and marks where matches begin. What was under way on the way is known afterwards:
 * at the ends of parts it is kept, and inside of one part it is found again by reading that part once more.
 */
export class BeginningSearch {
  /** Where matches begin. */
  readonly found = new Marks()
  private readonly automaton: CountingAutomaton
  private readonly text: SourceText
  private readonly ends: Marks
  private readonly isAllowed: (position: number) => boolean
  private readonly walk: CountingWalk
  private floor = 0
  private at = 0
  /** By number of a part: the walk where the part begins. */
  private readonly parts = new Map<number, Snapshot>()
  /** By offset: the walk at the checkpoints of one part. */
  private readonly near = new Map<number, Snapshot>()
  private nearPart = -1

  /** @param ends where matches may end */
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
    if (this.parts.size > 0) this.parts.clear()
    if (this.near.size > 0) this.near.clear()
    this.nearPart = -1
  }

  /** Reads a piece; false once all is read. */
  advance(): boolean {
    const { walk, text } = this
    const until = this.at - PIECE_UNITS
    while (this.at > until) {
      if (walk.isIdle && !this.goToEnd(this.floor)) return false
      const guards = guardsAt(this.automaton.positions, text, this.at)
      if (walk.accepts(guards) && this.isAllowed(this.at)) this.found.add(this.at)
      if (this.at <= this.floor) return false
      this.read(guards)
      const part = Math.ceil(this.at / PART_UNITS)
      if (this.at === this.partStart(part)) this.parts.set(part, walk.snapshot())
    }
    return true
  }

  /** What was under way at a checkpoint; undefined: nothing. */
  knownAt(checkpoint: number): Snapshot | undefined {
    let part = Math.floor(checkpoint / PART_UNITS)
    if (checkpoint >= this.partStart(part + 1)) part++
    if (part !== this.nearPart) this.readPart(part)
    return this.near.get(checkpoint)
  }

  private readPart(part: number): void {
    const { walk, near, text } = this
    const last = this.partStart(part + 1)
    const first = Math.max(this.partStart(part), this.floor)
    const known = this.parts.get(part + 1)
    near.clear()
    this.nearPart = part
    walk.clear()
    if (known !== undefined) walk.goTo(known)
    this.at = Math.min(last, this.ends.highest)
    while (this.at > first) {
      if (walk.isIdle && (!this.goToEnd(first) || this.at === first)) return
      this.read(guardsAt(this.automaton.positions, text, this.at))
      if (!walk.isIdle && isCheckpoint(text, this.at)) near.set(this.at, walk.snapshot())
    }
  }

  /** Goes to the nearest end in front; false when there is none from `floor` on. */
  private goToEnd(floor: number): boolean {
    const end = this.ends.previous(this.at)
    if (end < floor) return false
    this.at = end
    return true
  }

  private read(guards: number): void {
    const code = this.text.codeBefore(this.at)
    this.walk.read(this.automaton.positions.alphabet.classOf(code), guards, this.ends.has(this.at))
    this.at -= code > 0xffff ? 2 : 1
  }

  private partStart(part: number): number {
    return this.text.boundaryAt(Math.min(part * PART_UNITS, this.text.length))
  }
}
