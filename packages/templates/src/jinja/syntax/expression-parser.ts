import type { ArithmeticOperator, ComparisonOperator, Expression, FilterNode } from './ast.ts'
import { Nesting } from './nesting.ts'
import { PostfixParser } from './postfix-parser.ts'
import { PrimaryParser } from './primary-parser.ts'
import { describeToken } from './token.ts'
import type { TokenStream } from './token-stream.ts'

const COMPARISONS: ReadonlyMap<string, ComparisonOperator> = new Map(
  (['==', '!=', '<', '<=', '>', '>='] as const).map((operator) => [operator, operator]),
)

/** Binary operators from the weakest to the strongest; tests, filters and calls bind closer still. */
const OR = 1
const AND = 2
const NOT = 3
const COMPARE = 4
const ADD = 5
const CONCATENATE = 6
const MULTIPLY = 7
const POWER = 8

const ARITHMETIC: ReadonlyMap<string, { readonly operator: ArithmeticOperator; readonly strength: number }> = new Map([
  ['+', { operator: '+', strength: ADD }],
  ['-', { operator: '-', strength: ADD }],
  ['*', { operator: '*', strength: MULTIPLY }],
  ['/', { operator: '/', strength: MULTIPLY }],
  ['//', { operator: '//', strength: MULTIPLY }],
  ['%', { operator: '%', strength: MULTIPLY }],
  ['**', { operator: '**', strength: POWER }],
])

/** The end of a list of expressions without brackets, and the way its parts are read. */
export interface TupleOptions {
  /** Whether `a if b else c` may be written without parentheses. @default true */
  readonly conditional?: boolean | undefined
  /** A word that ends it. */
  readonly endWord?: string | undefined
  /** Whether parentheses are around, so that it may be empty. @default false */
  readonly inParentheses?: boolean | undefined
}

/** Reads expressions with the grammar and the precedence of Jinja, which differ a little from Python's. */
export class ExpressionParser {
  readonly #stream: TokenStream
  readonly #nesting: Nesting
  readonly #primary: PrimaryParser
  readonly #postfix: PostfixParser

  constructor(stream: TokenStream, maxNesting: number) {
    this.#stream = stream
    this.#nesting = new Nesting(stream, maxNesting)
    const parse = (): Expression => this.parse()
    this.#primary = new PrimaryParser(stream, this.#nesting, {
      parse,
      parseInParentheses: () => this.parseTuple({ inParentheses: true }),
    })
    this.#postfix = new PostfixParser(stream, this.#nesting, { primary: this.#primary, parse })
  }

  /** One level deeper into tags. @throws JinjaLimitError */
  enter(): void {
    this.#nesting.enter()
  }

  leave(): void {
    this.#nesting.leave()
  }

  /** Reads one expression. */
  parse(conditional = true): Expression {
    this.#nesting.enter()
    const expression = conditional ? this.#parseConditional() : this.#parseBinary(OR)
    this.#nesting.leave()
    return expression
  }

  /** Reads one expression, or several with commas as a tuple. */
  parseTuple(options: TupleOptions = {}): Expression {
    const { conditional = true, endWord, inParentheses = false } = options
    const { line } = this.#stream
    const items: Expression[] = []
    let isTuple = false
    while (!this.#isTupleEnd(endWord)) {
      items.push(this.parse(conditional))
      if (!this.#stream.skipOperator(',')) break
      isTuple = true
    }
    const [first] = items
    if (first !== undefined && !isTuple) return first
    if (first === undefined && !inParentheses) {
      this.#stream.fail(`Expected an expression, got '${describeToken(this.#stream.current)}'`)
    }
    return this.#nesting.record({ kind: 'tuple', items, line }, items)
  }

  #isTupleEnd(endWord: string | undefined): boolean {
    const { type } = this.#stream.current
    if (type === 'print-end' || type === 'block-end' || this.#stream.isOperator(')')) return true
    return endWord !== undefined && this.#stream.isWord(endWord)
  }

  #parseConditional(): Expression {
    let value = this.#parseBinary(OR)
    for (let { line } = this.#stream; this.#stream.skipWord('if'); line = this.#stream.line) {
      const test = this.#parseBinary(OR)
      const whenFalse = this.#stream.skipWord('else') ? this.parse() : undefined
      value = this.#nesting.record({ kind: 'conditional', test, whenTrue: value, whenFalse, line }, [
        test,
        value,
        whenFalse,
      ])
    }
    return value
  }

  /** Reads operators of at least this strength. */
  #parseBinary(strength: number): Expression {
    let left = this.#parsePrefix(strength)
    for (;;) {
      const next = this.#parseOperator(strength, left)
      if (next === undefined) return left
      left = next
    }
  }

  #parsePrefix(strength: number): Expression {
    const { line } = this.#stream
    if (strength > NOT || !this.#stream.skipWord('not')) return this.#parseUnary(true)
    this.#nesting.enter()
    const operand = this.#parseBinary(NOT)
    this.#nesting.leave()
    return this.#nesting.record({ kind: 'not', operand, line }, [operand])
  }

  /** Reads one operator of at least this strength with its right operand; undefined without one. */
  #parseOperator(strength: number, left: Expression): Expression | undefined {
    const { current, line } = this.#stream
    if (current.type === 'word') return this.#parseWordOperator(strength, left)
    if (current.type !== 'operator') return undefined
    const arithmetic = ARITHMETIC.get(current.text)
    if (arithmetic !== undefined && arithmetic.strength >= strength) {
      this.#stream.take()
      const right = this.#parseBinary(arithmetic.strength + 1)
      return this.#nesting.record({ kind: 'arithmetic', operator: arithmetic.operator, left, right, line }, [
        left,
        right,
      ])
    }
    if (current.text === '~' && strength <= CONCATENATE) return this.#parseConcatenation(left)
    if (COMPARISONS.has(current.text) && strength <= COMPARE) return this.#parseComparison(left)
    return undefined
  }

  #parseWordOperator(strength: number, left: Expression): Expression | undefined {
    const { line } = this.#stream
    if (strength <= COMPARE && this.#comparisonHere() !== undefined) return this.#parseComparison(left)
    if (strength <= AND && this.#stream.skipWord('and')) {
      const right = this.#parseBinary(NOT)
      return this.#nesting.record({ kind: 'and', left, right, line }, [left, right])
    }
    if (strength <= OR && this.#stream.skipWord('or')) {
      const right = this.#parseBinary(AND)
      return this.#nesting.record({ kind: 'or', left, right, line }, [left, right])
    }
    return undefined
  }

  #parseConcatenation(first: Expression): Expression {
    const { line } = this.#stream
    const parts = [first]
    while (this.#stream.skipOperator('~')) parts.push(this.#parseBinary(MULTIPLY))
    return this.#nesting.record({ kind: 'concatenation', parts, line }, parts)
  }

  #parseComparison(first: Expression): Expression {
    const { line } = this.#stream
    const rest: { operator: ComparisonOperator; operand: Expression }[] = []
    for (let operator = this.#comparisonHere(); operator !== undefined; operator = this.#comparisonHere()) {
      this.#stream.take()
      if (operator === 'not in') this.#stream.take()
      rest.push({ operator, operand: this.#parseBinary(ADD) })
    }
    return this.#nesting.record({ kind: 'comparison', first, rest, line }, [
      first,
      ...rest.map(({ operand }) => operand),
    ])
  }

  #comparisonHere(): ComparisonOperator | undefined {
    const { current } = this.#stream
    if (current.type === 'operator') return COMPARISONS.get(current.text)
    if (this.#stream.isWord('in')) return 'in'
    return this.#stream.isWord('not') && this.#stream.isFollowedByWord('in') ? 'not in' : undefined
  }

  #parseUnary(withFilter: boolean): Expression {
    const { line } = this.#stream
    let node: Expression
    if (this.#stream.isOperator('-') || this.#stream.isOperator('+')) {
      const kind = this.#stream.isOperator('-') ? 'negative' : 'positive'
      this.#stream.take()
      this.#nesting.enter()
      const operand = this.#parseUnary(false)
      this.#nesting.leave()
      node = this.#nesting.record({ kind, operand, line }, [operand])
    } else {
      node = this.#primary.parse()
    }
    node = this.#postfix.parsePostfix(node)
    return withFilter ? this.#postfix.parseFilterChain(node) : node
  }

  /** Reads the name of a filter and its arguments. */
  parseFilter(input: Expression | undefined): FilterNode {
    return this.#postfix.parseFilter(input)
  }
}
