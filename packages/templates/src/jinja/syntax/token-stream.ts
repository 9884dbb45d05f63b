import { JinjaSyntaxError } from '../errors.ts'
import { describeToken, type Token } from './token.ts'

/** The tokens of a template with a place in them. */
export class TokenStream {
  readonly #tokens: readonly Token[]
  readonly #end: Token
  #index = 0

  /** @param tokens with a token of type `end` as the last */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    this.#end = tokens.at(-1) ?? { type: 'end', line: 1 }
  }

  get current(): Token {
    return this.#tokens[this.#index] ?? this.#end
  }

  get line(): number {
    return this.current.line
  }

  /** The token behind the current one. */
  get following(): Token {
    return this.#tokens[this.#index + 1] ?? this.#end
  }

  /** The current token; the stream moves on. */
  take(): Token {
    const token = this.current
    this.#index++
    return token
  }

  isOperator(text: string): boolean {
    const token = this.current
    return token.type === 'operator' && token.text === text
  }

  isWord(text: string): boolean {
    return isWordToken(this.current, text)
  }

  isFollowedByWord(text: string): boolean {
    return isWordToken(this.following, text)
  }

  isFollowedByOperator(text: string): boolean {
    return this.following.type === 'operator' && this.following.text === text
  }

  skipOperator(text: string): boolean {
    const found = this.isOperator(text)
    if (found) this.#index++
    return found
  }

  skipWord(text: string): boolean {
    const found = this.isWord(text)
    if (found) this.#index++
    return found
  }

  expectOperator(text: string): Token {
    return this.isOperator(text) ? this.take() : this.failExpecting(text)
  }

  expectKeyword(text: string): Token {
    return this.isWord(text) ? this.take() : this.failExpecting(text)
  }

  expectType(type: 'block-end' | 'print-end'): void {
    if (this.current.type !== type)
      this.failExpecting(type === 'block-end' ? 'end of statement block' : 'end of print statement')
    this.#index++
  }

  /** The text of any word. */
  expectWord(): string {
    const token = this.current
    if (token.type !== 'word') return this.failExpecting('name')
    this.#index++
    return token.text
  }

  failExpecting(expected: string): never {
    const token = this.current
    if (token.type === 'end') return this.fail(`unexpected end of template, expected '${expected}'.`)
    return this.fail(`expected token '${expected}', got '${describeToken(token)}'`)
  }

  fail(message: string, line = this.line): never {
    throw new JinjaSyntaxError(message, line)
  }
}

function isWordToken(token: Token, text: string): boolean {
  return token.type === 'word' && token.text === text
}
