import { JinjaSyntaxError } from '../errors.ts'
import { isSpace } from '../text/characters.ts'
import { trimText } from '../text/trim.ts'
import { scanExpression } from './expression-lexer.ts'
import type { Token } from './token.ts'

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
])

/**
 * Splits a template into tokens, with the white space rules of chat templates: drops a line break right after a block
 * and blanks before a block at the start of its line (`trim_blocks`, `lstrip_blocks`); `-` trims, `+` keeps. Line
 * breaks of any kind become LF, and the last one of the source is dropped.
 *
 * @throws JinjaSyntaxError
 */
export function tokenize(source: string): Token[] {
  return new Lexer(normalizeLines(source)).run()
}

function normalizeLines(source: string): string {
  const text = source.includes('\r') ? source.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : source
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

class Lexer {
  readonly #source: string
  readonly #tokens: Token[] = []
  #position = 0
  #line = 1
  /** The offset up to which lines have been counted. */
  #counted = 0

  constructor(source: string) {
    this.#source = source
  }

  run(): Token[] {
    while (this.#position < this.#source.length) this.#readText()
    this.#add({ type: 'end', line: this.#lineAt(this.#source.length) })
    return this.#tokens
  }

  /** Reads text up to a tag, and the tag. */
  #readText(): void {
    const start = this.#position
    const tag = this.#findTag(start)
    if (tag < 0) {
      this.#addText(start, this.#source.length)
      this.#position = this.#source.length
      return
    }
    const kind = this.#source[tag + 1]
    const sign = this.#readSign(tag + 2)
    this.#addText(start, this.#trimBefore(start, tag, { sign, isPrint: kind === '{' }))
    this.#position = tag + 2 + sign.length
    if (kind === '#') this.#skipComment(tag)
    else if (kind === '{') this.#readTag('print', tag)
    else if (!this.#readRaw(tag)) this.#readTag('block', tag)
  }

  #findTag(start: number): number {
    for (let index = this.#source.indexOf('{', start); index >= 0; index = this.#source.indexOf('{', index + 1)) {
      const next = this.#source[index + 1]
      if (next === '%' || next === '{' || next === '#') return index
    }
    return -1
  }

  #readSign(index: number): '' | '-' | '+' {
    const character = this.#source[index]
    return character === '-' || character === '+' ? character : ''
  }

  /** The end of the text before a tag, after the tag's trimming. */
  #trimBefore(start: number, tag: number, { sign, isPrint }: { sign: string; isPrint: boolean }): number {
    if (sign === '-') return start + trimText(this.#source.slice(start, tag), 'end').length
    if (sign === '+' || isPrint) return tag
    let blank = tag
    while (blank > start && isBlank(this.#source.charCodeAt(blank - 1))) blank--
    const before = blank === 0 ? '\n' : this.#source[blank - 1]
    return before === '\n' ? blank : tag
  }

  #skipComment(tag: number): void {
    // An opening mark at the very end opens nothing; the reference accepts it.
    if (this.#position >= this.#source.length) return
    const end = this.#source.indexOf('#}', this.#position)
    if (end < 0) throw new JinjaSyntaxError('Missing end of comment tag', this.#lineAt(tag))
    const sign = end > this.#position ? this.#source[end - 1] : ''
    this.#position = this.#trimBehind(end + 2, sign)
  }

  /** Reads a whole raw block, if the tag opens one. */
  #readRaw(tag: number): boolean {
    const begin = this.#matchTag('raw', this.#position, { trimsLine: false })
    if (begin === undefined) return false
    this.#position = begin
    if (begin >= this.#source.length) return true
    for (let end = this.#source.indexOf('{%', begin); end >= 0; end = this.#source.indexOf('{%', end + 1)) {
      const sign = this.#readSign(end + 2)
      const behind = this.#matchTag('endraw', end + 2 + sign.length, { trimsLine: true })
      if (behind === undefined) continue
      this.#addText(begin, this.#trimBefore(begin, end, { sign, isPrint: false }))
      this.#position = behind
      return true
    }
    throw new JinjaSyntaxError('Missing end of raw directive', this.#lineAt(tag))
  }

  /** The offset after a tag of one word; undefined for another tag. */
  #matchTag(word: string, start: number, { trimsLine }: { trimsLine: boolean }): number | undefined {
    let index = this.#skipSpace(start)
    if (!this.#source.startsWith(word, index)) return undefined
    index = this.#skipSpace(index + word.length)
    const sign = this.#readSign(index)
    if (sign === '+' && !trimsLine) return undefined
    if (!this.#source.startsWith('%}', index + sign.length)) return undefined
    const end = index + sign.length + 2
    return trimsLine || sign === '-' ? this.#trimBehind(end, sign) : end
  }

  /** Reads the content of a tag. */
  #readTag(kind: 'block' | 'print', tag: number): void {
    const mark = kind === 'block' ? '%}' : '}}'
    const open: string[] = []
    this.#add({ type: `${kind}-begin`, line: this.#lineAt(tag) })
    for (;;) {
      const end = open.length === 0 ? this.#matchEnd(mark) : undefined
      const line = this.#lineAt(this.#position)
      if (end !== undefined) {
        this.#add({ type: `${kind}-end`, line })
        this.#position = end
        return
      }
      // The parser reports the end of the source.
      if (this.#position >= this.#source.length) return
      const scanned = scanExpression(this.#source, this.#position, line)
      this.#position = scanned.end
      if (scanned.token === undefined) continue
      if (scanned.token.type === 'operator') balance(open, scanned.token.text, line)
      this.#add(scanned.token)
    }
  }

  /** The offset after the end mark of a tag, if it is here. */
  #matchEnd(mark: '%}' | '}}'): number | undefined {
    const sign = this.#readSign(this.#position)
    if (sign === '+' && mark === '}}') return undefined
    if (!this.#source.startsWith(mark, this.#position + sign.length)) return undefined
    const end = this.#position + sign.length + 2
    return mark === '%}' || sign === '-' ? this.#trimBehind(end, sign) : end
  }

  /** Skips the text that the end of a block trims: all white space, one line break or nothing. */
  #trimBehind(end: number, sign: string | undefined): number {
    if (sign === '-') return this.#skipSpace(end)
    return sign !== '+' && this.#source[end] === '\n' ? end + 1 : end
  }

  #skipSpace(start: number): number {
    let index = start
    while (isSpace(this.#source.charCodeAt(index))) index++
    return index
  }

  #addText(start: number, end: number): void {
    if (end > start) this.#add({ type: 'text', text: this.#source.slice(start, end), line: this.#lineAt(start) })
  }

  #add(token: Token): void {
    this.#tokens.push(token)
  }

  /** The line of an offset, which must not lie before an earlier one. */
  #lineAt(offset: number): number {
    for (; this.#counted < offset; this.#counted++) {
      if (this.#source.charCodeAt(this.#counted) === 0x0a) this.#line++
    }
    return this.#line
  }
}

/** White space that is not a line break. */
function isBlank(unit: number): boolean {
  return unit !== 0x0a && isSpace(unit)
}

/** Keeps track of open brackets, inside which an end mark is part of the expression. */
function balance(open: string[], operator: string, line: number): void {
  const closer = CLOSERS.get(operator)
  if (closer !== undefined) open.push(closer)
  if (operator !== '}' && operator !== ')' && operator !== ']') return
  const expected = open.pop()
  if (expected === undefined) throw new JinjaSyntaxError(`unexpected '${operator}'`, line)
  if (expected !== operator) throw new JinjaSyntaxError(`unexpected '${operator}', expected '${expected}'`, line)
}
