import { runeAt } from './bytes.ts'
import { isAlphaNumeric, scanNumber } from './scan.ts'

/** Kinds of tokens. `error` ends the tokens, like `eof`; its text is the message. */
export type TokenKind =
  | 'text'
  | 'left'
  | 'right'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'leftParen'
  | 'rightParen'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'number'
  | 'string'
  | 'rawString'
  | 'bool'
  | 'dot'
  | 'nil'
  | 'field'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'error'
  | 'eof'

/** A token of a template. */
export interface Token {
  readonly kind: TokenKind
  /** The source of the token, or the message of an error. */
  readonly text: string
  /** 1-based line where it begins. */
  readonly line: number
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
])

const SPACES = ' \t\r\n'
const PUNCTUATION: ReadonlyMap<string, TokenKind> = new Map([
  ['=', 'assign'],
  ['|', 'pipe'],
])

/** Splits a template into tokens; the last one is `eof` or `error`. Source and texts are byte strings. */
export function tokenize(source: string): Token[] {
  return new Lexer(source).run()
}

class Lexer {
  readonly #source: string
  readonly #tokens: Token[] = []
  #at = 0
  #line = 1
  /** End of the line of `#at`; the length of the source on the last one. */
  #lineEnd: number
  #parens = 0

  constructor(source: string) {
    this.#source = source
    this.#lineEnd = this.#endOfLine(0)
  }

  #endOfLine(from: number): number {
    const end = this.#source.indexOf('\n', from)
    return end < 0 ? this.#source.length : end
  }

  run(): Token[] {
    while (this.#text()) {
      if (!this.#action()) return this.#tokens
    }
    return this.#tokens
  }

  /** Text up to the next action, comments skipped. False at the end of the tokens. */
  #text(): boolean {
    for (;;) {
      const open = this.#source.indexOf('{{', this.#at)
      if (open < 0) {
        if (this.#at < this.#source.length) this.#push('text', this.#source.slice(this.#at))
        return this.#end('eof', 'EOF')
      }
      const trims = this.#isLeftTrim(open + 2)
      const text = this.#source.slice(this.#at, open)
      const kept = trims ? trimRightSpaces(text) : text
      if (kept !== '') this.#tokens.push({ kind: 'text', text: kept, line: this.#line })
      this.#skipTo(open)
      const inside = open + 2 + (trims ? 2 : 0)
      if (!this.#source.startsWith('/*', inside)) {
        this.#tokens.push({ kind: 'left', text: '{{', line: this.#line })
        this.#skipTo(inside)
        this.#parens = 0
        return true
      }
      if (!this.#comment(inside)) return false
    }
  }

  #comment(start: number): boolean {
    const close = this.#source.indexOf('*/', start + 2)
    if (close < 0) return this.#end('error', 'unclosed comment')
    const after = close + 2
    const trims = this.#isRightTrim(after)
    if (!trims && !this.#source.startsWith('}}', after)) {
      return this.#end('error', 'comment ends before closing delimiter')
    }
    this.#close(after, trims)
    return true
  }

  /** Everything up to and with the closing delimiter. False when the tokens ended in an error. */
  #action(): boolean {
    for (;;) {
      const trims = this.#isRightTrim(this.#at)
      if (trims || this.#source.startsWith('}}', this.#at)) {
        if (this.#parens > 0) return this.#end('error', 'unclosed left paren')
        this.#tokens.push({ kind: 'right', text: '}}', line: this.#line })
        this.#close(this.#at, trims)
        return true
      }
      if (this.#at >= this.#source.length) return this.#end('error', 'unclosed action')
      const problem = this.#item()
      if (problem !== undefined) return this.#end('error', problem)
    }
  }

  /** One token inside an action; the error message for text that is not a token. */
  #item(): string | undefined {
    const char = this.#source.charAt(this.#at)
    if (SPACES.includes(char)) return this.#spaces()
    const single = PUNCTUATION.get(char)
    if (single !== undefined) return this.#push(single, char)
    switch (char) {
      case ':':
        return this.#source.startsWith(':=', this.#at) ? this.#push('declare', ':=') : 'expected :='
      case '"':
        return this.#quoted('"', 'string', 'unterminated quoted string')
      case "'":
        return this.#quoted("'", 'charConstant', 'unterminated character constant')
      case '`':
        return this.#rawString()
      case '$':
        return this.#name('variable')
      case '(':
        this.#parens++
        return this.#push('leftParen', char)
      case ')':
        this.#parens--
        return this.#parens < 0 ? 'unexpected right paren' : this.#push('rightParen', char)
    }
    return this.#wordOrNumber(char)
  }

  #wordOrNumber(char: string): string | undefined {
    if (char === '.') {
      const next = this.#source.charAt(this.#at + 1)
      if (next !== '' && !(next >= '0' && next <= '9')) return this.#name('field')
      return this.#number()
    }
    if (char === '+' || char === '-' || (char >= '0' && char <= '9')) return this.#number()
    const rune = runeAt(this.#source, this.#at)
    if (isAlphaNumeric(rune.value)) return this.#identifier()
    if (rune.value > 0x20 && rune.value < 0x7f) return this.#push('char', char)
    return 'unrecognized character in action'
  }

  /** A run of spaces, without the space that belongs to a trim marker behind it. */
  #spaces(): string | undefined {
    let end = this.#at
    while (end < this.#source.length && SPACES.includes(this.#source.charAt(end))) end++
    if (this.#isRightTrim(end - 1)) end--
    if (end > this.#at) this.#push('space', this.#source.slice(this.#at, end))
    return undefined
  }

  #quoted(quote: string, kind: TokenKind, problem: string): string | undefined {
    for (let end = this.#at + 1; end < this.#source.length; end++) {
      const char = this.#source.charAt(end)
      if (char === quote) return this.#push(kind, this.#source.slice(this.#at, end + 1))
      if (char === '\n') return problem
      if (char === '\\') {
        end++
        if (this.#source.charAt(end) === '\n') return problem
      }
    }
    return problem
  }

  #rawString(): string | undefined {
    const close = this.#source.indexOf('`', this.#at + 1)
    if (close < 0) return 'unterminated raw quoted string'
    return this.#push('rawString', this.#source.slice(this.#at, close + 1))
  }

  #identifier(): string | undefined {
    const end = this.#alphaNumericEnd(this.#at)
    if (!this.#isTerminator(end)) return this.#badCharacter(end)
    const word = this.#source.slice(this.#at, end)
    if (KEYWORDS.has(word)) return this.#push('keyword', word)
    if (word === 'nil') return this.#push('nil', word)
    return this.#push(word === 'true' || word === 'false' ? 'bool' : 'identifier', word)
  }

  /** A field or a variable: its first character, then letters and digits. */
  #name(kind: 'field' | 'variable'): string | undefined {
    const start = this.#at + 1
    if (this.#isTerminator(start)) {
      return kind === 'variable' ? this.#push('variable', '$') : this.#push('dot', '.')
    }
    const end = this.#alphaNumericEnd(start)
    if (!this.#isTerminator(end)) return this.#badCharacter(end)
    return this.#push(kind, this.#source.slice(this.#at, end))
  }

  #number(): string | undefined {
    let end = scanNumber(this.#source, this.#at)
    let kind: TokenKind = 'number'
    const sign = this.#source.charAt(end)
    if (end > 0 && (sign === '+' || sign === '-')) {
      end = scanNumber(this.#source, end)
      if (end > 0 && this.#source.charAt(end - 1) !== 'i') end = -1
      kind = 'complex'
    }
    if (end < 0) return 'bad number syntax'
    return this.#push(kind, this.#source.slice(this.#at, end))
  }

  #alphaNumericEnd(start: number): number {
    let end = start
    while (end < this.#source.length) {
      const rune = runeAt(this.#source, end)
      if (!isAlphaNumeric(rune.value)) break
      end += rune.size
    }
    return end
  }

  #isTerminator(at: number): boolean {
    const char = this.#source.charAt(at)
    return char === '' || ' \t\r\n.,|:)('.includes(char) || this.#source.startsWith('}}', at)
  }

  #badCharacter(at: number): string {
    const { value } = runeAt(this.#source, at)
    return `bad character U+${value.toString(16).toUpperCase().padStart(4, '0')}`
  }

  #isLeftTrim(at: number): boolean {
    const space = this.#source.charAt(at + 1)
    return this.#source.charAt(at) === '-' && space !== '' && SPACES.includes(space)
  }

  #isRightTrim(at: number): boolean {
    const space = this.#source.charAt(at)
    return space !== '' && SPACES.includes(space) && this.#source.startsWith('-}}', at + 1)
  }

  /** Passes the closing delimiter at `at`, and the spaces behind it when it trims. */
  #close(at: number, trims: boolean): void {
    let end = at + (trims ? 4 : 2)
    if (trims) while (end < this.#source.length && SPACES.includes(this.#source.charAt(end))) end++
    this.#skipTo(end)
  }

  #push(kind: TokenKind, text: string): undefined {
    this.#tokens.push({ kind, text, line: this.#line })
    this.#skipTo(this.#at + text.length)
  }

  #end(kind: 'eof' | 'error', text: string): false {
    this.#tokens.push({ kind, text, line: this.#line })
    return false
  }

  #skipTo(end: number): void {
    while (this.#lineEnd < end) {
      this.#line++
      this.#lineEnd = this.#endOfLine(this.#lineEnd + 1)
    }
    this.#at = end
  }
}

function trimRightSpaces(text: string): string {
  let end = text.length
  while (end > 0 && SPACES.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
