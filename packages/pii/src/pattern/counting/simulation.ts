import { isWordCode } from '../code-set.ts'
import type { MatchList } from '../match-list.ts'
import { holds, OP, type Program, type Surroundings } from '../program.ts'
import type { SourceText } from '../source-text.ts'
import { Frames } from './frames.ts'
import { VisitedStates } from './visited-states.ts'

/** Number of frames from which on unused ones are dropped. */
const FRAMES_BEFORE_COMPACTION = 1 << 14

/** States that wait for the next character, with the starts of their matches; starts ascend. */
interface Threads {
  state: number[]
  frame: number[]
  start: number[]
}

const noThreads = (): Threads => ({ state: [], frame: [], start: [] })

/**
 * Runs a program over a text once, with all of its states in parallel, and finds every leftmost-longest match on the
 * way. Each state keeps only its earliest start: no later one can win. Matches that could still grow or be overtaken
 * are kept while the search for later ones already runs, so that no character is read twice.
 */
export class Simulation {
  private readonly program: Program
  private readonly text: SourceText
  private readonly matches: MatchList
  private threads = noThreads()
  private following = noThreads()
  private readonly frames = new Frames()
  private compactAt = FRAMES_BEFORE_COMPACTION
  private readonly visited: VisitedStates
  private readonly stack: number[] = []
  private accepted = -1
  /** UTF-16 offset of the next character to read. */
  position = 0
  private readonly around: Surroundings = {
    startsSegment: false,
    endsSegment: false,
    wordBefore: false,
    nextClass: -1,
  }

  constructor(program: Program, text: SourceText, matches: MatchList) {
    this.program = program
    this.text = text
    this.matches = matches
    this.visited = new VisitedStates(program.op.length, program.loops.length > 0, this.frames)
  }

  /** Whether no match is open. */
  get isIdle(): boolean {
    return this.threads.state.length === 0
  }

  /** Goes to an offset, when no match is open. */
  moveTo(position: number): void {
    this.position = position
  }

  /** Reads the character at the position, or the end of the text; with `begin`, a match may also begin here. */
  advance(begin: boolean): void {
    const { text, program, around, position } = this
    const code = position < text.length ? text.codeAt(position) : -1
    around.nextClass = code < 0 ? -1 : program.alphabet.toClass(code)
    if (program.usesEdges) {
      around.startsSegment = text.startsSegment(position)
      around.endsSegment = text.endsSegment(position)
    }
    if (program.usesWords) around.wordBefore = isWordCode(text.codeBefore(position))
    this.closeAll(begin)
    if (code < 0) {
      this.threads = noThreads()
      this.position++
      return
    }
    this.position += code > 0xffff ? 2 : 1
    if (this.frames.size > this.compactAt) this.compact()
  }

  /** Follows every state before the position, states of the earliest starts first. */
  private closeAll(begin: boolean): void {
    const { threads, following } = this
    this.accepted = -1
    this.visited.clear()
    for (let index = 0; index < threads.state.length; index++) {
      const start = threads.start[index] ?? 0
      // A match that began earlier ends here: attempts that began inside it are dropped.
      if (this.accepted >= 0 && start > this.accepted) break
      this.close(threads.state[index] ?? 0, threads.frame[index] ?? 0, start)
    }
    if (begin) this.close(this.program.entry, 0, this.position)
    threads.state.length = 0
    threads.frame.length = 0
    threads.start.length = 0
    this.threads = following
    this.following = threads
  }

  private close(state: number, frame: number, start: number): void {
    const { program, stack } = this
    stack.push(state, frame)
    while (stack.length > 0) {
      const inFrame = stack.pop() ?? 0
      const at = stack.pop() ?? 0
      if (at === 0 || this.visited.has(at, inFrame)) continue
      const argument = program.argument[at] ?? 0
      const next = program.next[at] ?? 0
      switch (program.op[at]) {
        case OP.accept:
          if (this.accepted < 0) {
            this.accepted = start
            this.matches.add(start, this.position)
          }
          break
        case OP.take:
          this.takeNext(argument, next, inFrame, start)
          break
        case OP.split:
          stack.push(program.other[at] ?? 0, inFrame, next, inFrame)
          break
        case OP.assert:
          if (holds(program, argument, this.around)) stack.push(next, inFrame)
          break
        case OP.enter:
          this.loop(argument, inFrame, 0)
          break
        case OP.round:
          this.loop(argument, this.frames.parent(inFrame), this.frames.count(inFrame) + 1)
          break
        default:
          break
      }
    }
  }

  private takeNext(set: number, next: number, frame: number, start: number): void {
    const { nextClass } = this.around
    if (nextClass < 0 || this.program.sets[set]?.[nextClass] !== 1) return
    this.following.state.push(next)
    this.following.frame.push(frame)
    this.following.start.push(start)
  }

  /** The beginning of a round of a loop after `count` rounds. */
  private loop(index: number, parent: number, count: number): void {
    const loop = this.program.loops[index]
    if (loop === undefined) return
    if (count >= loop.min) this.stack.push(loop.exit, parent)
    if (count >= loop.max) return
    // Without an upper bound, rounds past the minimum are all alike.
    const told = loop.max === Number.POSITIVE_INFINITY ? Math.min(count, loop.min) : count
    this.stack.push(loop.body, this.frames.of(parent, told, loop.min === 0))
  }

  /** Drops the frames without an open state. */
  private compact(): void {
    this.frames.compact((copy) => {
      this.threads.frame = this.threads.frame.map(copy)
    })
    this.compactAt = Math.max(FRAMES_BEFORE_COMPACTION, this.frames.size * 4)
  }
}
