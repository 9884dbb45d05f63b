import type { MatchList } from './match-list.ts'
import { type Program } from './program.ts'
import type { SourceText } from './source-text.ts'
/**
 * Runs a program over a text once, with all of its states at the same time, and finds every leftmost-longest match on the
 * way. Each state keeps only the earliest start that leads to it: no later one can win. Matches that could still grow or be
 * overtaken are kept as they are while those after them are looked for already, so that no character is read twice.
 */
export declare class Simulation {
  private readonly program
  private readonly text
  private readonly matches
  private threads
  private following
  private readonly queues
  private readonly frames
  private compactAt
  private readonly visited
  private readonly stack
  private step
  private accepted
  /** UTF-16 offset of the next character to read. */
  position: number
  private readonly around
  private readonly isDead
  constructor(program: Program, text: SourceText, matches: MatchList)
  /** Whether no match is under way. */
  get isIdle(): boolean
  /** Goes to an offset, when no match is under way. */
  moveTo(position: number): void
  /** Reads the character at the position, or the end of the text; with `begin`, a match may also begin here. */
  advance(begin: boolean): void
  /** Follows every state in front of the position, those of the earliest starts first. */
  private closeAll
  /** Puts what leaves the counters among the threads, by start. */
  private leaveQueues
  private close
  private takeNext
  private enterCounter
  /** In front of a round of a loop that has made `count` rounds. */
  private loop
  /** Forgets the frames that nothing under way stands in. */
  private compact
}
