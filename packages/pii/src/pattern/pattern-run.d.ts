import type { CompiledPattern } from './compiled-pattern.ts'
import { MatchList } from './match-list.ts'
import type { SourceText } from './source-text.ts'
/**
 * One pattern on its way through one text. It is told where its literals stand and then, piece by piece, how far it may
 * read.
 *
 * A pattern that begins with a literal is tried from each with an automaton, as long as that does not read much of the
 * text again and again; then, and for a literal inside of the pattern, with a simulation that reads nothing twice.
 */
export declare class PatternRun {
  readonly matches: MatchList
  private readonly pattern
  private readonly text
  /** Starts of literals that were not looked at yet, ascending. */
  private hits
  private next
  private sorted
  private search
  private simulation
  /** The literal on whose account the simulation reads: a match may begin anywhere up to it. */
  private target
  constructor(pattern: CompiledPattern, text: SourceText)
  /** A literal of the pattern begins at an offset. */
  addHit(start: number): void
  /** Whether reading further could do anything. */
  get isPending(): boolean
  /** Reads up to an offset. Every literal that begins in front of it must have been told. */
  advance(limit: number): void
  /** Whether the search from prefixes may go on. */
  private tryPrefixes
  private simulate
  /** Moves an idle simulation to where a match with the next hit could begin; false when there is none to go to yet. */
  private moveToNextHit
  /** The earliest offset from `floor` on at which a match that holds the literal at `hit` could begin. */
  private reachBefore
  private mayBeginAt
}
