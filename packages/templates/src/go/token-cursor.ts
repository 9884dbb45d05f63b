import { GoTemplateLimitError, GoTemplateSyntaxError } from './errors.ts'
import type { Token, TokenKind } from './lexer.ts'
import { excerpt } from './quote.ts'

/** A place among the tokens of a template, and the errors that can be raised there. */
export class TokenCursor {
  readonly #tokens: readonly Token[]
  readonly #maxDepth: number
  #at = 0
  #depth = 0

  /** @param maxDepth how deep {@link nested} may go */
  constructor(tokens: readonly Token[], maxDepth: number) {
    this.#tokens = tokens
    this.#maxDepth = maxDepth
  }

  /** The next token; the last one again at the end. */
  peek(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1)
    return token ?? { kind: 'eof', text: 'EOF', line: 1 }
  }

  /** Takes the next token. */
  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Puts the token taken last back. */
  back(): void {
    this.#at--
  }

  /** The next token that is not a space; passes the spaces before it. */
  peekNonSpace(): Token {
    while (this.peek().kind === 'space') this.#at++
    return this.peek()
  }

  /** Takes the next token that is not a space. */
  nextNonSpace(): Token {
    this.peekNonSpace()
    return this.next()
  }

  /** Tries to read something, and goes back to the start when the attempt returns false. */
  attempt(read: () => boolean): boolean {
    const start = this.#at
    if (read()) return true
    this.#at = start
    return false
  }

  /** Reads something one level deeper. */
  nested<T>(read: () => T): T {
    if (this.#depth >= this.#maxDepth) throw new GoTemplateLimitError('maxParseDepth', this.#maxDepth)
    this.#depth++
    const result = read()
    this.#depth--
    return result
  }

  /** Takes the next token that is not a space. It must be of a kind. */
  expect(kind: TokenKind, context: string): void {
    const token = this.nextNonSpace()
    if (token.kind !== kind) this.unexpected(token, context)
  }

  /** Refuses a token; an error token of the lexer keeps its message. */
  unexpected(token: Token, context: string): never {
    if (token.kind === 'error') throw new GoTemplateSyntaxError(token.text, token.line)
    const shown = token.kind === 'eof' ? 'EOF' : excerpt(token.text)
    throw new GoTemplateSyntaxError(`unexpected ${shown} in ${context}`, token.line)
  }

  /** Refuses the last read token. */
  fail(message: string): never {
    const { line } = this.#tokens[this.#at - 1] ?? this.peek()
    throw new GoTemplateSyntaxError(message, line)
  }
}
