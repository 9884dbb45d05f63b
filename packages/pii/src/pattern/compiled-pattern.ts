import { checkArgument } from '@svc/errors'
import type { PatternNode } from './ast.ts'
import type { CodeSet } from './code-set.ts'
import { compile } from './compile.ts'
import { type CountingAutomaton, createCountingAutomaton } from './counting/counting-automaton.ts'
import { PatternSyntaxError } from './errors.ts'
import { parsePattern } from './grammar.ts'
import { LazyAutomaton } from './lazy-automaton.ts'
import type { Program } from './program.ts'
import { chooseRequiredLiterals, type RequiredLiterals } from './required-literals.ts'
import { simplify } from './simplify.ts'

/** Characters that must not be adjacent to a match: for built-ins, which must not match inside longer words. */
export interface Boundaries {
  /** Characters that must not precede a match. */
  readonly notAfter?: CodeSet | undefined
  /** Characters that must not follow a match. */
  readonly notBefore?: CodeSet | undefined
}

/** A compiled pattern. Its automata are built for the first text with a candidate. */
export class CompiledPattern {
  readonly notAfter: CodeSet | undefined
  /** Literals to find before the pattern is tried; undefined: it is tried everywhere. */
  readonly literals: RequiredLiterals | undefined
  /** All matches of a pattern of fixed texts only, by their first code unit, the longest first. */
  readonly fixedTexts: ReadonlyMap<number, readonly string[]> | undefined
  private readonly node: PatternNode
  private readonly notBefore: CodeSet | undefined
  private counted: Program | undefined
  private automaton: LazyAutomaton | null | undefined
  private counter: CountingAutomaton | null | undefined

  /** @throws PatternSyntaxError with position and reason */
  constructor(source: string, boundaries: Boundaries = {}) {
    checkArgument(typeof source === 'string', 'CompiledPattern: source', 'a text', source)
    this.node = simplify(parsePattern(source))
    this.notAfter = boundaries.notAfter
    this.notBefore = boundaries.notBefore
    this.literals = chooseRequiredLiterals(this.node)
    const isFixed = this.literals?.isWhole === true && boundaries.notBefore === undefined
    this.fixedTexts = isFixed ? groupByFirstUnit(this.literals?.literals ?? []) : undefined
  }

  /** Builds the parts that can fail, so that a fault shows when the pattern is loaded. @throws PatternSyntaxError */
  prepare(): void {
    void this.program
  }

  /** The program with loops, which always exists. */
  get program(): Program {
    this.counted ??= compile(this.node, { counted: true, notBefore: this.notBefore })
    if (this.counted === undefined) throw new PatternSyntaxError('asks for too many states', 0)
    return this.counted
  }

  /** The automaton; undefined for a pattern that is too large. */
  get lazyAutomaton(): LazyAutomaton | undefined {
    if (this.automaton === undefined) {
      const program = compile(this.node, { counted: false, notBefore: this.notBefore })
      this.automaton = program === undefined ? null : new LazyAutomaton(program)
    }
    return this.automaton ?? undefined
  }

  /** The automaton that reads regions; undefined for an unsupported pattern. */
  get counting(): CountingAutomaton | undefined {
    if (this.counter === undefined) this.counter = createCountingAutomaton(this.node, this.notBefore) ?? null
    return this.counter ?? undefined
  }
}

function groupByFirstUnit(texts: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>()
  for (const text of texts.toSorted((one, other) => other.length - one.length)) {
    const unit = text.charCodeAt(0)
    groups.set(unit, [...(groups.get(unit) ?? []), text])
  }
  return groups
}
