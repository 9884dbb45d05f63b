import type { CallArguments, Expression, FilterNode } from './ast.ts'
import { parseArguments, toParts } from './call-arguments.ts'
import type { Nesting } from './nesting.ts'
import type { PrimaryParser } from './primary-parser.ts'
import type { TokenStream } from './token-stream.ts'

/** Words that a test does not take as its argument. */
const NO_TEST_ARGUMENTS = new Set(['else', 'or', 'and'])

/** The parsers of the expressions inside of a postfix. */
export interface PostfixParts {
  readonly primary: PrimaryParser
  /** Reads one expression of any kind. */
  readonly parse: () => Expression
}

/** Reads what may follow an expression: members, items, calls, filters and tests. */
export class PostfixParser {
  readonly #stream: TokenStream
  readonly #nesting: Nesting
  readonly #primary: PrimaryParser
  readonly #parse: () => Expression

  constructor(stream: TokenStream, nesting: Nesting, { primary, parse }: PostfixParts) {
    this.#stream = stream
    this.#nesting = nesting
    this.#primary = primary
    this.#parse = parse
  }

  /** Reads members, items and calls of a primary expression. */
  parsePostfix(start: Expression): Expression {
    let node = start
    for (;;) {
      if (this.#stream.isOperator('.')) node = this.#parseMember(node)
      else if (this.#stream.isOperator('[')) node = this.#parseSubscript(node)
      else if (this.#stream.isOperator('(')) node = this.#parseCall(node)
      else return node
    }
  }

  #parseMember(object: Expression): Expression {
    const { line } = this.#stream.take()
    const token = this.#stream.take()
    if (token.type === 'word')
      return this.#nesting.record({ kind: 'attribute', object, name: token.text, line }, [object])
    if (token.type !== 'integer') return this.#stream.fail('expected name or number', token.line)
    const key = this.#nesting.record({ kind: 'constant', value: token.value, line: token.line }, [])
    return this.#nesting.record({ kind: 'item', object, key, line }, [object, key])
  }

  #parseSubscript(object: Expression): Expression {
    const { line } = this.#stream.take()
    const keys: Expression[] = []
    let slices = 0
    while (!this.#stream.isOperator(']')) {
      if (keys.length > 0) this.#stream.expectOperator(',')
      const start = this.#stream.isOperator(':') ? undefined : this.#parse()
      const isSlice = this.#stream.skipOperator(':')
      if (isSlice) slices++
      keys.push(isSlice || start === undefined ? this.#parseSlice(object, start, line) : start)
    }
    this.#stream.take()
    const [first] = keys
    if (first !== undefined && keys.length === 1 && slices === 1) return first
    // For a slice among other keys, the reference generates code that Python cannot read.
    if (slices > 0) this.#stream.fail('invalid syntax', line)
    const key =
      first !== undefined && keys.length === 1
        ? first
        : this.#nesting.record({ kind: 'tuple', items: keys, line }, keys)
    return this.#nesting.record({ kind: 'item', object, key, line }, [object, key])
  }

  /** Reads the rest after the first colon of a slice. */
  #parseSlice(object: Expression, start: Expression | undefined, line: number): Expression {
    const stop = this.#isSlicePartEnd() ? undefined : this.#parse()
    const step = this.#stream.skipOperator(':') && !this.#isSlicePartEnd() ? this.#parse() : undefined
    return this.#nesting.record({ kind: 'slice', object, start, stop, step, line }, [object, start, stop, step])
  }

  #isSlicePartEnd(): boolean {
    return this.#stream.isOperator(']') || this.#stream.isOperator(',') || this.#stream.isOperator(':')
  }

  #parseCall(callee: Expression): Expression {
    const { line } = this.#stream
    const given = parseArguments(this.#stream, this.#parse)
    return this.#nesting.record({ kind: 'call', callee, given, line }, [callee, ...toParts(given)])
  }

  /** Reads filters, tests and calls of their results. */
  parseFilterChain(start: Expression): Expression {
    let node = start
    for (;;) {
      if (this.#stream.isOperator('|')) node = this.#parseFilters(node)
      else if (this.#stream.isWord('is')) node = this.#parseTest(node)
      else if (this.#stream.isOperator('(')) node = this.#parseCall(node)
      else return node
    }
  }

  /** Reads `| name | name(…)`. */
  #parseFilters(input: Expression): Expression {
    let node = input
    while (this.#stream.skipOperator('|')) node = this.parseFilter(node)
    return node
  }

  /** Reads the name of a filter and its arguments. */
  parseFilter(input: Expression | undefined): FilterNode {
    const { line } = this.#stream
    const name = this.#parseDottedName()
    const given = this.#parseOptionalArguments()
    return this.#nesting.record({ kind: 'filter', input, name, given, line }, [input, ...toParts(given)])
  }

  #parseTest(input: Expression): Expression {
    const { line } = this.#stream.take()
    const negated = this.#stream.skipWord('not')
    const name = this.#parseDottedName()
    const given = this.#hasTestArgument() ? this.#parseTestArgument() : this.#parseOptionalArguments()
    const test = this.#nesting.record({ kind: 'test', input, name, given, line }, [input, ...toParts(given)])
    return negated ? this.#nesting.record({ kind: 'not', operand: test, line }, [test]) : test
  }

  /** Whether an argument without parentheses follows. */
  #hasTestArgument(): boolean {
    const token = this.#stream.current
    switch (token.type) {
      case 'word':
        return !NO_TEST_ARGUMENTS.has(token.text)
      case 'string':
      case 'integer':
      case 'float':
        return true
      case 'operator':
        return token.text === '[' || token.text === '{'
      default:
        return false
    }
  }

  #parseTestArgument(): CallArguments {
    if (this.#stream.isWord('is')) this.#stream.fail('You cannot chain multiple tests with is')
    this.#nesting.enter()
    const argument = this.parsePostfix(this.#primary.parse())
    this.#nesting.leave()
    return { positional: [argument], named: [], spread: undefined, spreadNamed: undefined }
  }

  #parseDottedName(): string {
    let name = this.#stream.expectWord()
    while (this.#stream.skipOperator('.')) name += `.${this.#stream.expectWord()}`
    return name
  }

  #parseOptionalArguments(): CallArguments {
    if (this.#stream.isOperator('(')) return parseArguments(this.#stream, this.#parse)
    return { positional: [], named: [], spread: undefined, spreadNamed: undefined }
  }
}
