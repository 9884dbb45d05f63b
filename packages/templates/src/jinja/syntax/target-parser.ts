import type { Expression, Target } from './ast.ts'
import type { ExpressionParser } from './expression-parser.ts'
import { describeToken } from './token.ts'
import type { TokenStream } from './token-stream.ts'

/** Words that are values, so nothing can be assigned to them. */
const CONSTANTS = new Set(['true', 'false', 'none', 'True', 'False', 'None'])

/** The form of a target. */
export interface TargetOptions {
  /** A word that ends it. */
  readonly endWord?: string | undefined
  /** Whether `namespace.name` may be one. @default false */
  readonly withMembers?: boolean | undefined
}

/** Reads the left side of an assignment. */
export class TargetParser {
  readonly #stream: TokenStream
  readonly #expressions: ExpressionParser

  constructor(stream: TokenStream, expressions: ExpressionParser) {
    this.#stream = stream
    this.#expressions = expressions
  }

  /** Reads one target, or several with commas as a tuple. */
  parse({ endWord, withMembers = false }: TargetOptions = {}): Target {
    const { line } = this.#stream
    const items: Target[] = []
    let isTuple = false
    while (!this.#isEnd(endWord)) {
      items.push(this.#parseOne(withMembers))
      if (!this.#stream.skipOperator(',')) break
      isTuple = true
    }
    const [first] = items
    if (first !== undefined && !isTuple) return first
    if (first === undefined) {
      this.#stream.fail(`Expected an expression, got '${describeToken(this.#stream.current)}'`)
    }
    return { kind: 'tuple', items, line }
  }

  /** Reads a plain name. */
  parseName(): string {
    const { line } = this.#stream
    const name = this.#stream.expectWord()
    if (CONSTANTS.has(name)) this.#stream.fail("can't assign to 'name'", line)
    return name
  }

  #isEnd(endWord: string | undefined): boolean {
    const { type } = this.#stream.current
    if (type === 'print-end' || type === 'block-end' || this.#stream.isOperator(')')) return true
    return endWord !== undefined && this.#stream.isWord(endWord)
  }

  #parseOne(withMembers: boolean): Target {
    const { current, line } = this.#stream
    if (current.type === 'word' && !CONSTANTS.has(current.text)) {
      this.#stream.take()
      if (!withMembers || !this.#stream.skipOperator('.')) return { kind: 'name', name: current.text, line }
      return { kind: 'member', object: current.text, name: this.#stream.expectWord(), line }
    }
    if (!this.#stream.isOperator('(')) return this.#stream.fail("can't assign to a value", line)
    this.#stream.take()
    const inner = this.#expressions.parseTuple({ inParentheses: true })
    this.#stream.expectOperator(')')
    return this.#toTarget(inner)
  }

  /** Parentheses contain an expression that must consist of names. */
  #toTarget(expression: Expression): Target {
    const { line } = expression
    if (expression.kind === 'name') return { kind: 'name', name: expression.name, line }
    if (expression.kind !== 'tuple') return this.#stream.fail(`can't assign to '${expression.kind}'`, line)
    return { kind: 'tuple', items: expression.items.map((item) => this.#toTarget(item)), line }
  }
}
