import type { Expression } from './ast.ts'
import { parseItems } from './call-arguments.ts'
import type { Nesting } from './nesting.ts'
import { describeToken } from './token.ts'
import type { TokenStream } from './token-stream.ts'

/** Reads the expressions inside of brackets. */
export interface InnerExpressions {
  parse(): Expression
  /** Reads the text between parentheses. */
  parseInParentheses(): Expression
}

/** Reads the smallest expressions: names, literals, and expressions in brackets. */
export class PrimaryParser {
  readonly #stream: TokenStream
  readonly #nesting: Nesting
  readonly #inner: InnerExpressions

  constructor(stream: TokenStream, nesting: Nesting, inner: InnerExpressions) {
    this.#stream = stream
    this.#nesting = nesting
    this.#inner = inner
  }

  parse(): Expression {
    const token = this.#stream.current
    const { line } = token
    switch (token.type) {
      case 'word':
        this.#stream.take()
        return this.#nesting.record(toWordNode(token.text, line), [])
      case 'string':
        return this.#parseStrings()
      case 'integer':
      case 'float':
        this.#stream.take()
        return this.#nesting.record({ kind: 'constant', value: token.value, line }, [])
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
    return this.#nesting.record({ kind: 'constant', value, line }, [])
  }

  #parseParentheses(): Expression {
    this.#stream.take()
    const inner = this.#inner.parseInParentheses()
    this.#stream.expectOperator(')')
    return inner
  }

  #parseList(): Expression {
    const { line } = this.#stream.take()
    const items = parseItems(this.#stream, ']', () => this.#inner.parse())
    return this.#nesting.record({ kind: 'list', items, line }, items)
  }

  #parseDict(): Expression {
    const { line } = this.#stream.take()
    const entries = parseItems(this.#stream, '}', () => {
      const key = this.#inner.parse()
      this.#stream.expectOperator(':')
      return { key, value: this.#inner.parse() }
    })
    return this.#nesting.record(
      { kind: 'dict', entries, line },
      entries.flatMap(({ key, value }) => [key, value]),
    )
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
