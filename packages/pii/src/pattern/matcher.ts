import type { CompiledPattern } from './compiled-pattern.ts'
import { LiteralScanner } from './literal-scanner.ts'
import { PatternRun } from './pattern-run.ts'
import { SourceText } from './source-text.ts'

/** A match of a pattern: UTF-16 code units, half open. */
export interface PatternMatch {
  /** Index of the pattern. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}

/** A search that is done in pieces. */
export interface PatternScan {
  /** Does a small piece of the work, a few milliseconds at most; true at the end. */
  advance(): boolean
  /** The matches, by pattern and then by start. Complete after `advance` returned true. */
  matches(): PatternMatch[]
}

/**
 * Searches for many patterns in a text: the leftmost-longest matches of each, which never overlap one another. Time
 * grows linearly with the text, for all patterns and texts; no match is left out. The pattern bounds the cost of a
 * character: a counted repeat `{m,n}` with m > 1 costs up to m / 64 steps, a nested one up to the product of both m.
 */
export class PatternMatcher {
  private readonly patterns: readonly CompiledPattern[]
  private readonly scanner: LiteralScanner | undefined
  /** Patterns without a required literal. */
  private readonly everywhere: readonly number[]

  constructor(patterns: readonly CompiledPattern[]) {
    this.patterns = patterns
    const owners = new Map<string, number[]>()
    for (const [index, { literals }] of patterns.entries()) {
      for (const literal of literals?.literals ?? []) {
        const list = owners.get(literal)
        if (list === undefined) owners.set(literal, [index])
        else list.push(index)
      }
    }
    this.scanner = owners.size === 0 ? undefined : new LiteralScanner(owners)
    this.everywhere = [...patterns.keys()].filter((index) => patterns[index]?.literals === undefined)
  }

  /**
   * Prepares a search, which runs with `advance`.
   *
   * @param segments ranges at whose edges `^` and `$` match; ascending. @default the whole text as one
   */
  scan(text: string, segments?: readonly { readonly start: number; readonly end: number }[]): PatternScan {
    return new Scan(this.patterns, this.scanner, this.everywhere, new SourceText(text, segments))
  }

  /**
   * Whether a quick check shows that a text is plain ASCII and holds none of the required literals; false when the
   * check cannot decide. True for most texts of requests.
   */
  isPlainWithoutMatch(text: string): boolean {
    return this.everywhere.length === 0 && this.scanner?.isPlainWithout(text) === true
  }

  /** Runs the whole search. */
  match(text: string, segments?: readonly { readonly start: number; readonly end: number }[]): PatternMatch[] {
    const scan = this.scan(text, segments)
    while (!scan.advance()) {
      // Each call does a piece.
    }
    return scan.matches()
  }
}

class Scan implements PatternScan {
  private readonly patterns: readonly CompiledPattern[]
  private readonly scanner: LiteralScanner | undefined
  private readonly text: SourceText
  private readonly runs: (PatternRun | undefined)[]
  /** Indexes of the runs that exist: few patterns have a hit. */
  private readonly started: number[] = []
  /** Indexes of the runs that have something to read in this chunk. */
  private active: number[] = []
  private scanned = 0
  private limit = 0
  private isComplete = false
  private readonly report = (owner: number, start: number): void => this.findRun(owner)?.addHit(start)

  constructor(
    patterns: readonly CompiledPattern[],
    scanner: LiteralScanner | undefined,
    everywhere: readonly number[],
    text: SourceText,
  ) {
    this.patterns = patterns
    this.scanner = scanner
    this.text = text
    this.runs = new Array<PatternRun | undefined>(patterns.length).fill(undefined)
    for (const index of everywhere) this.findRun(index)
  }

  advance(): boolean {
    const index = this.active.at(-1)
    if (index !== undefined) {
      if (this.runs[index]?.advance(this.limit) !== true) this.active.pop()
      return false
    }
    if (this.isComplete) return true
    this.scanChunk()
    return this.isComplete && this.active.length === 0
  }

  matches(): PatternMatch[] {
    const all: PatternMatch[] = []
    for (const pattern of this.started.toSorted((one, other) => one - other)) {
      const matches = this.runs[pattern]?.matches
      if (matches === undefined || matches.count === 0) continue
      for (const [start, end] of matches.spans()) all.push({ pattern, start, end })
    }
    return all
  }

  private scanChunk(): void {
    const { text } = this.text
    this.scanned = this.scanner?.scan(text, this.scanned, this.report) ?? text.length
    this.isComplete = this.scanned >= text.length
    this.limit = this.isComplete ? text.length : Math.max(0, this.scanned - (this.scanner?.maxOffset ?? 0))
    for (const index of this.started) if (this.runs[index]?.isPending === true) this.active.push(index)
  }

  private findRun(index: number): PatternRun | undefined {
    const pattern = this.patterns[index]
    if (pattern === undefined) return undefined
    const known = this.runs[index]
    if (known !== undefined) return known
    const run = new PatternRun(pattern, this.text)
    this.runs[index] = run
    this.started.push(index)
    return run
  }
}
