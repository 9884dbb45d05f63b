import type { CodeSet } from './code-set.ts'
import { LazyAutomaton } from './lazy-automaton.ts'
import type { Program } from './program.ts'
import { type RequiredLiterals } from './required-literals.ts'
/** What may stand beside a match: for built-ins, which are not to match inside of longer words. */
export interface Boundaries {
  /** Characters that may not stand in front of a match. */
  readonly notAfter?: CodeSet | undefined
  /** Characters that may not follow a match. */
  readonly notBefore?: CodeSet | undefined
}
/** A pattern that is ready to be looked for. Its automata are built when a text first has a candidate. */
export declare class CompiledPattern {
  readonly notAfter: CodeSet | undefined
  /** What is looked for before the pattern is tried; undefined: it is tried everywhere. */
  readonly literals: RequiredLiterals | undefined
  private readonly node
  private readonly notBefore
  private counted
  private automaton
  /** @throws PatternSyntaxError with position and reason */
  constructor(source: string, boundaries?: Boundaries)
  /** Builds what could fail, so that a fault shows when the pattern is loaded. @throws PatternSyntaxError */
  prepare(): void
  /** The program with counters, which always exists. */
  get program(): Program
  /** The automaton; undefined for a pattern that is too large for one. */
  get lazyAutomaton(): LazyAutomaton | undefined
}
