import type { CallOptions } from '../ports.ts'

/** One line of a stored corpus. */
export interface CorpusLine {
  /** From 1. */
  readonly number: number
  /** Without the line end; undefined for a line that is too long to be read. */
  readonly text: string | undefined
  /** Whether the line end is missing: it was never written to its end. */
  readonly isTorn: boolean
}

/** Keeps the lines of corpora, each under a name. Names are any text. */
export interface CorpusStore {
  /** All lines from the first; none where nothing is stored. */
  read(name: string, options: CallOptions): AsyncIterable<CorpusLine>
  /**
   * Adds lines: all of them or, when this rejects, none. They outlive a crash once this resolves. A torn line at the
   * end is removed first.
   */
  append(name: string, lines: readonly string[], options: CallOptions): Promise<void>
  /** Puts other lines in the place of all: after a crash, either the old ones are there or the new ones. */
  replace(name: string, lines: AsyncIterable<string>, options: CallOptions): Promise<void>
  /** Removes all lines. */
  remove(name: string, options: CallOptions): Promise<void>
}
