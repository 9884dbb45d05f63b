import { JinjaLimitError } from '../errors.ts'
import type { ArithmeticOperator, CallArguments, ComparisonOperator, Expression, FilterNode } from './ast.ts'
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

/** Words that a test does not take as its argument. */
const NO_TEST_ARGUMENTS = new Set(['else', 'or', 'and'])

/** The end of a list of expressions without brackets, and the way its parts are read. */
export interface TupleOptions {
  /** Whether `a if b else c` may stand without parentheses. @default true */
  readonly conditional?: boolean | undefined
  /** A word that ends it. */
  readonly endWord?: string | undefined
  /** Whether parentheses are around, so that it may be empty. @default false */
  readonly inParentheses?: boolean | undefined
}

/** Reads expressions with the grammar and the precedence of Jinja, which are not quite those of Python. */
export class ExpressionParser {
  readonly #stream: TokenStream
  readonly #maxNesting: number
  /** Levels of each node, so that no tree is too deep to walk. */
  readonly #depths = new WeakMap<Expression, number>()
  #nesting = 0

  constructor(stream: TokenStream, maxNesting: number) {
    this.#stream = stream
    this.#maxNesting = maxNesting
  }

  /** One level deeper into tags or brackets. @throws JinjaLimitError */
  enter(): void {
    if (++this.#nesting > this.#maxNesting) throw this.#tooDeep()
  }

  leave(): void {
    this.#nesting--
  }

  /** Reads one expression. */
  parse(conditional = true): Expression {
    this.enter()
    const expression = conditional ? this.#parseConditional() : this.#parseBinary(OR)
    this.leave()
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
    return this.#made({ kind: 'tuple', items, line }, items)
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
      value = this.#made({ kind: 'conditional', test, whenTrue: value, whenFalse, line }, [test, value, whenFalse])
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
    this.enter()
    const operand = this.#parseBinary(NOT)
    this.leave()
    return this.#made({ kind: 'not', operand, line }, [operand])
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
      return this.#made({ kind: 'arithmetic', operator: arithmetic.operator, left, right, line }, [left, right])
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
      return this.#made({ kind: 'and', left, right, line }, [left, right])
    }
    if (strength <= OR && this.#stream.skipWord('or')) {
      const right = this.#parseBinary(AND)
      return this.#made({ kind: 'or', left, right, line }, [left, right])
    }
    return undefined
  }

  #parseConcatenation(first: Expression): Expression {
    const { line } = this.#stream
    const parts = [first]
    while (this.#stream.skipOperator('~')) parts.push(this.#parseBinary(MULTIPLY))
    return this.#made({ kind: 'concatenation', parts, line }, parts)
  }

  #parseComparison(first: Expression): Expression {
    const { line } = this.#stream
    const rest: { operator: ComparisonOperator; operand: Expression }[] = []
    for (let operator = this.#comparisonHere(); operator !== undefined; operator = this.#comparisonHere()) {
      this.#stream.take()
      if (operator === 'not in') this.#stream.take()
      rest.push({ operator, operand: this.#parseBinary(ADD) })
    }
    return this.#made({ kind: 'comparison', first, rest, line }, [first, ...rest.map(({ operand }) => operand)])
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
      this.enter()
      const operand = this.#parseUnary(false)
      this.leave()
      node = this.#made({ kind, operand, line }, [operand])
    } else {
      node = this.#parsePrimary()
    }
    node = this.#parsePostfix(node)
    return withFilter ? this.#parseFilterChain(node) : node
  }

  #parsePrimary(): Expression {
    const token = this.#stream.current
    const { line } = token
    switch (token.type) {
      case 'word':
        this.#stream.take()
        return this.#made(toWordNode(token.text, line), [])
      case 'string':
        return this.#parseStrings()
      case 'integer':
      case 'float':
        this.#stream.take()
        return this.#made({ kind: 'constant', value: token.value, line }, [])
      case 'operator':
        if (token.text === '(') return this.#parseParentheses()
        if (token.text === '[') return this.#parseList()
        if (token.text === '{') return this.#parseDict()
        break
      default:
    }
    return this.#stream.fail(`unexpected '${describeToken(token)}'`)
  }

  /** Adjacent texts are joined. */
  #parseStrings(): Expression {
    const { line } = this.#stream
    let value = ''
    for (let { current } = this.#stream; current.type === 'string'; { current } = this.#stream) {
      value += current.text
      this.#stream.take()
    }
    return this.#made({ kind: 'constant', value, line }, [])
  }

  #parseParentheses(): Expression {
    this.#stream.take()
    const inner = this.parseTuple({ inParentheses: true })
    this.#stream.expectOperator(')')
    return inner
  }

  #parseList(): Expression {
    const { line } = this.#stream.take()
    const items = this.#parseItems(']', () => this.parse())
    return this.#made({ kind: 'list', items, line }, items)
  }

  #parseDict(): Expression {
    const { line } = this.#stream.take()
    const entries = this.#parseItems('}', () => {
      const key = this.parse()
      this.#stream.expectOperator(':')
      return { key, value: this.parse() }
    })
    return this.#made(
      { kind: 'dict', entries, line },
      entries.flatMap(({ key, value }) => [key, value]),
    )
  }

  /** Reads items with commas between, one more at the end if so written, and the bracket that closes them. */
  #parseItems<Item>(closer: string, parseItem: () => Item): Item[] {
    const items: Item[] = []
    while (!this.#stream.isOperator(closer)) {
      if (items.length > 0) this.#stream.expectOperator(',')
      if (this.#stream.isOperator(closer)) break
      items.push(parseItem())
    }
    this.#stream.take()
    return items
  }

  #parsePostfix(start: Expression): Expression {
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
    if (token.type === 'word') return this.#made({ kind: 'attribute', object, name: token.text, line }, [object])
    if (token.type !== 'integer') return this.#stream.fail('expected name or number', token.line)
    const key = this.#made({ kind: 'constant', value: token.value, line: token.line }, [])
    return this.#made({ kind: 'item', object, key, line }, [object, key])
  }

  #parseSubscript(object: Expression): Expression {
    const { line } = this.#stream.take()
    const keys: Expression[] = []
    let slices = 0
    while (!this.#stream.isOperator(']')) {
      if (keys.length > 0) this.#stream.expectOperator(',')
      const start = this.#stream.isOperator(':') ? undefined : this.parse()
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
      first !== undefined && keys.length === 1 ? first : this.#made({ kind: 'tuple', items: keys, line }, keys)
    return this.#made({ kind: 'item', object, key, line }, [object, key])
  }

  /** Reads the rest after the first colon of a slice. */
  #parseSlice(object: Expression, start: Expression | undefined, line: number): Expression {
    const stop = this.#isSlicePartEnd() ? undefined : this.parse()
    const step = this.#stream.skipOperator(':') && !this.#isSlicePartEnd() ? this.parse() : undefined
    return this.#made({ kind: 'slice', object, start, stop, step, line }, [object, start, stop, step])
  }

  #isSlicePartEnd(): boolean {
    return this.#stream.isOperator(']') || this.#stream.isOperator(',') || this.#stream.isOperator(':')
  }

  #parseCall(callee: Expression): Expression {
    const { line } = this.#stream
    const given = this.parseArguments()
    return this.#made({ kind: 'call', callee, given, line }, [callee, ...toParts(given)])
  }

  #parseFilterChain(start: Expression): Expression {
    let node = start
    for (;;) {
      if (this.#stream.isOperator('|')) node = this.parseFilters(node)
      else if (this.#stream.isWord('is')) node = this.#parseTest(node)
      else if (this.#stream.isOperator('(')) node = this.#parseCall(node)
      else return node
    }
  }

  /** Reads `| name | name(…)`. */
  parseFilters(input: Expression): Expression {
    let node = input
    while (this.#stream.skipOperator('|')) node = this.parseFilter(node)
    return node
  }

  /** Reads the name of a filter and its arguments. */
  parseFilter(input: Expression | undefined): FilterNode {
    const { line } = this.#stream
    const name = this.#parseDottedName()
    const given = this.#parseOptionalArguments()
    return this.#made({ kind: 'filter', input, name, given, line }, [input, ...toParts(given)])
  }

  #parseTest(input: Expression): Expression {
    const { line } = this.#stream.take()
    const negated = this.#stream.skipWord('not')
    const name = this.#parseDottedName()
    const given = this.#hasTestArgument() ? this.#parseTestArgument() : this.#parseOptionalArguments()
    const test = this.#made({ kind: 'test', input, name, given, line }, [input, ...toParts(given)])
    return negated ? this.#made({ kind: 'not', operand: test, line }, [test]) : test
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
    this.enter()
    const argument = this.#parsePostfix(this.#parsePrimary())
    this.leave()
    return { positional: [argument], named: [], spread: undefined, spreadNamed: undefined }
  }

  #parseDottedName(): string {
    let name = this.#stream.expectWord()
    while (this.#stream.skipOperator('.')) name += `.${this.#stream.expectWord()}`
    return name
  }

  #parseOptionalArguments(): CallArguments {
    if (this.#stream.isOperator('(')) return this.parseArguments()
    return { positional: [], named: [], spread: undefined, spreadNamed: undefined }
  }

  /** Reads the arguments of a call with their parentheses. */
  parseArguments(): CallArguments {
    const { line } = this.#stream.expectOperator('(')
    const positional: Expression[] = []
    const named: { name: string; value: Expression }[] = []
    const names = new Set<string>()
    let spread: Expression | undefined
    let spreadNamed: Expression | undefined
    const ensure = (isAllowed: boolean): void => {
      if (!isAllowed) this.#stream.fail('invalid syntax for function call expression', line)
    }
    this.#parseItems(')', () => {
      ensure(spreadNamed === undefined)
      if (this.#stream.skipOperator('**')) {
        spreadNamed = this.parse()
      } else if (this.#stream.skipOperator('*')) {
        ensure(spread === undefined)
        spread = this.parse()
      } else if (this.#stream.current.type === 'word' && this.#stream.isFollowedByOperator('=')) {
        const name = this.#stream.expectWord()
        this.#stream.take()
        if (names.has(name)) this.#stream.fail(`keyword argument repeated: ${name}`, line)
        names.add(name)
        named.push({ name, value: this.parse() })
      } else {
        ensure(spread === undefined && named.length === 0)
        positional.push(this.parse())
      }
    })
    return { positional, named, spread, spreadNamed }
  }

  /** Records the depth of a new node. @throws JinjaLimitError */
  #made<Made extends Expression>(node: Made, parts: readonly (Expression | undefined)[]): Made {
    let depth = 1
    for (const part of parts) {
      if (part !== undefined) depth = Math.max(depth, 1 + (this.#depths.get(part) ?? 0))
    }
    if (depth > this.#maxNesting) throw this.#tooDeep()
    this.#depths.set(node, depth)
    return node
  }

  #tooDeep(): JinjaLimitError {
    return new JinjaLimitError(`the template exceeds the limit maxNesting of ${this.#maxNesting}`, {
      line: this.#stream.line,
      limit: 'maxNesting',
    })
  }
}

function toWordNode(word: string, line: number): Expression {
  switch (word) {
    case 'true':
    case 'True':
      return { kind: 'constant', value: true, line }
    case 'false':
    case 'False':
      return { kind: 'constant', value: false, line }
    case 'none':
    case 'None':
      return { kind: 'constant', value: null, line }
    default:
      return { kind: 'name', name: word, line }
  }
}

/** All expressions in arguments. */
export function toParts(given: CallArguments): Expression[] {
  const parts = [...given.positional, ...given.named.map(({ value }) => value)]
  if (given.spread !== undefined) parts.push(given.spread)
  if (given.spreadNamed !== undefined) parts.push(given.spreadNamed)
  return parts
}
