import { holds, OP, type Program, type Surroundings } from './program.ts'

/** Limit of the automaton's cache: a unit is about one number. */
const MAX_UNITS = 1 << 17

/** The dead state: no longer match can follow. */
export const DEAD = 0

const UNKNOWN = -1

/**
 * A deterministic automaton over a program without loops, built state by state on demand. It is anchored: it finds the
 * length of a match that begins at its start. Its cache is bounded; past the limit it starts again.
 *
 * A step reads the class after a position, so whether a match ends at a position is known one step later: the lowest
 * bit of a step's result says that a match ended before the read character.
 */
export class LazyAutomaton {
  readonly program: Program
  /** Columns: one a class and one for the end of the text, times the four kinds of segment edges when they matter. */
  private readonly columns: number
  private readonly width: number
  private kernels: Int32Array[] = []
  private wordBefore: boolean[] = []
  private byKey = new Map<string, number>()
  private table = new Int32Array(0)
  private units = 0
  /** The states before a match, once they are known. */
  private startAfterWord = DEAD
  private startElsewhere = DEAD
  private readonly visited: Int32Array
  private visit = 0
  /** Number of times that the cache was emptied. */
  flushes = 0
  private readonly around: Surroundings = {
    startsSegment: false,
    endsSegment: false,
    wordBefore: false,
    nextClass: -1,
  }

  constructor(program: Program) {
    this.program = program
    this.width = program.alphabet.size + 1
    this.columns = this.width * (program.usesEdges ? 4 : 1)
    this.visited = new Int32Array(program.op.length)
    this.clear()
  }

  /** The state before a match that may begin after a character that is or is not a word character. */
  start(wordBefore: boolean): number {
    const isAfterWord = wordBefore && this.program.usesWords
    const known = isAfterWord ? this.startAfterWord : this.startElsewhere
    if (known !== DEAD) return known
    const state = this.findState([this.program.entry], isAfterWord)
    if (isAfterWord) this.startAfterWord = state
    else this.startElsewhere = state
    return state
  }

  /**
   * Reads the class after a position (-1 at the end of the text). Twice the next state, plus 1 when a match ends at the
   * position.
   */
  step(state: number, nextClass: number, startsSegment: boolean, endsSegment: boolean): number {
    const { usesEdges } = this.program
    const edges = usesEdges ? (startsSegment ? 2 : 0) + (endsSegment ? 1 : 0) : 0
    const column = edges * this.width + nextClass + 1
    const known = this.table[state * this.columns + column]
    return known === undefined || known === UNKNOWN
      ? this.build(state, column, nextClass, startsSegment, endsSegment)
      : known
  }

  private build(
    state: number,
    column: number,
    nextClass: number,
    startsSegment: boolean,
    endsSegment: boolean,
  ): number {
    const { program, around } = this
    around.startsSegment = startsSegment
    around.endsSegment = endsSegment
    around.wordBefore = this.wordBefore[state] === true
    around.nextClass = nextClass
    const following: number[] = []
    const accepts = this.close(this.kernels[state] ?? new Int32Array(0), following)
    const flushes = this.flushes
    const next =
      following.length === 0 ? DEAD : this.findState(following, program.usesWords && program.words[nextClass] === 1)
    const result = next * 2 + (accepts ? 1 : 0)
    if (flushes === this.flushes) this.table[state * this.columns + column] = result
    return result
  }

  /**
   * Follows states that take no character; collects the targets of the next character. Returns whether a match ends
   * here.
   */
  private close(kernel: Int32Array, following: number[]): boolean {
    const { program, around, visited } = this
    const stack = [...kernel].reverse()
    const visit = ++this.visit
    let accepts = false
    for (;;) {
      const state = stack.pop()
      if (state === undefined) return accepts
      if (state === 0 || visited[state] === visit) continue
      visited[state] = visit
      const next = program.next[state] ?? 0
      switch (program.op[state]) {
        case OP.accept:
          accepts = true
          break
        case OP.take:
          if (around.nextClass >= 0 && program.sets[program.argument[state] ?? 0]?.[around.nextClass] === 1) {
            following.push(next)
          }
          break
        case OP.split:
          stack.push(program.other[state] ?? 0, next)
          break
        case OP.assert:
          if (holds(program, program.argument[state] ?? 0, around)) stack.push(next)
          break
        default:
          break
      }
    }
  }

  private findState(targets: readonly number[], wordBefore: boolean): number {
    const kernel = Int32Array.from(new Set(targets)).sort()
    const key = `${wordBefore ? 'w' : ''}${kernel.join()}`
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    const cost = this.columns + 3 * kernel.length + 32
    if (this.units + cost > MAX_UNITS) {
      this.flushes++
      this.clear()
    }
    const state = this.kernels.push(kernel) - 1
    this.wordBefore.push(wordBefore)
    this.byKey.set(key, state)
    this.units += cost
    const needed = (state + 1) * this.columns
    if (needed > this.table.length) {
      const grown = new Int32Array(Math.max(needed, this.table.length * 2, 16 * this.columns)).fill(UNKNOWN)
      grown.set(this.table)
      this.table = grown
    }
    return state
  }

  private clear(): void {
    this.kernels = [new Int32Array(0)]
    this.wordBefore = [false]
    this.byKey = new Map()
    this.table = new Int32Array(this.columns).fill(UNKNOWN)
    this.units = 0
    this.startAfterWord = DEAD
    this.startElsewhere = DEAD
  }
}
