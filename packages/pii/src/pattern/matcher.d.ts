import type { CompiledPattern } from './compiled-pattern.ts'
/** Where a pattern matches: UTF-16 code units, half open. */
export interface PatternMatch {
  /** Index of the pattern. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}
/** A search that is done in pieces. */
export interface PatternScan {
  /** Does a small piece of the work, a few milliseconds at most; true once all of it is done. */
  advance(): boolean
  /** The matches, by pattern and then by start. Complete once `advance` said so. */
  matches(): PatternMatch[]
}
/**
 * Looks for many patterns in a text: the leftmost-longest matches of each, which never overlap one another. Time grows with
 * the text alone, whatever patterns and text are; nothing is left out however many matches there are.
 */
export declare class PatternMatcher {
  private readonly patterns
  private readonly scanner
  /** Patterns without a literal to look for. */
  private readonly everywhere
  constructor(patterns: readonly CompiledPattern[])
  /**
   * Begins a search. Nothing is done until `advance` is called.
   *
   * @param segments where `^` and `$` match; ascending. @default the whole text as one
   */
  scan(
    text: string,
    segments?: readonly {
      readonly start: number
      readonly end: number
    }[],
  ): PatternScan
  /** The whole search at once. */
  match(
    text: string,
    segments?: readonly {
      readonly start: number
      readonly end: number
    }[],
  ): PatternMatch[]
}
