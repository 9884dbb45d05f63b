import { isAscii, mapRunes, runeAt, runeBytes, runes, toBytes } from '../bytes.ts'
import { type CallContext, type FunctionTable, fixed, walking } from '../function.ts'
import {
  isDigit,
  isLetter,
  isLower,
  isNumber,
  isPunctuation,
  isSpace,
  isTitle,
  isUpper,
  toLower,
  toTitle,
  toUpper,
} from '../unicode.ts'

/** Letter case by words, and shortening. */
export const WORD_FUNCTIONS: FunctionTable = walking({
  title: fixed(['string'], (_, text) => titleCase(text)),
  untitle: fixed(['string'], (_, text) => lowerFirstOfWords(text)),
  swapcase: fixed(['string'], (_, text) => swapCase(text)),
  snakecase: fixed(['string'], (context, text) => separateWords(context, text, '_')),
  kebabcase: fixed(['string'], (context, text) => separateWords(context, text, '-')),
  camelcase: fixed(['string'], (_, text) => pascalCase(text)),
  initials: fixed(['string'], (_, text) => initials(text)),
  nospace: fixed(['string'], (_, text) => withoutSpaces(text)),
})

/** `strings.Title`: the first letter of every word; the others stay as they are. */
function titleCase(bytes: string): string {
  let previous = 0x20
  return mapRunes(bytes, (rune) => {
    const isFirst = separatesWords(previous)
    previous = rune
    return isFirst ? toTitle(rune) : rune
  })
}

function separatesWords(rune: number): boolean {
  if (isLetter(rune) || isDigit(rune) || rune === 0x5f) return false
  return rune < 0x80 || isSpace(rune)
}

function lowerFirstOfWords(bytes: string): string {
  let isFirst = true
  return mapRunes(bytes, (rune) => {
    if (isSpace(rune)) {
      isFirst = true
      return rune
    }
    const lowered = isFirst ? toLower(rune) : rune
    isFirst = false
    return lowered
  })
}

/** Upper to lower, lower to upper, and to title case at the start of a word. */
function swapCase(bytes: string): string {
  let afterSpace = true
  return mapRunes(bytes, (rune) => {
    if (isUpper(rune) || isTitle(rune)) {
      afterSpace = false
      return toLower(rune)
    }
    if (!isLower(rune)) {
      afterSpace = isSpace(rune)
      return rune
    }
    const swapped = afterSpace ? toTitle(rune) : toUpper(rune)
    afterSpace = false
    return swapped
  })
}

/** The first byte of every word; the library sprig uses takes it for a Latin-1 character. */
function initials(bytes: string): string {
  let first = ''
  let isFirst = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at)
    const isGap = isSpace(byte)
    if (!isGap && isFirst) first += runeBytes(byte)
    isFirst = isGap
  }
  return first
}

/** Removes white space byte by byte; with white space present, other bytes count as Latin-1 characters, as in sprig. */
function withoutSpaces(bytes: string): string {
  const kept: string[] = []
  for (let at = 0; at < bytes.length; at++) {
    if (!isSpace(bytes.charCodeAt(at))) kept.push(bytes.charAt(at))
  }
  return kept.length === bytes.length || isAscii(bytes) ? kept.join('') : toBytes(kept.join(''))
}

function isConnector(rune: number): boolean {
  return rune === 0x2d || rune === 0x5f || isSpace(rune)
}

/** Kind of a part of a text for {@link separateWords}. */
type WordKind = 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other' | 'none'

interface Word {
  readonly kind: WordKind
  readonly bytes: string
}

/** Letters that form words; CJK ideographs do not. */
function isAlphabet(rune: number): boolean {
  const isIdeograph =
    (rune >= 0x3400 && rune <= 0x4d85) || (rune >= 0x4e00 && rune <= 0x9fcc) || (rune >= 0x20000 && rune <= 0x2b81d)
  return isLetter(rune) && !isIdeograph
}

function kindOfRune(rune: number): WordKind {
  if (isConnector(rune)) return 'connector'
  if (isPunctuation(rune)) return 'punctuation'
  if (isUpper(rune)) return 'upper'
  if (isAlphabet(rune)) return 'alphabet'
  return isNumber(rune) ? 'number' : 'other'
}

/** Splits at changes of kind; a capital begins a word, and the last of several belongs to the next word. */
function splitByKind(bytes: string): Word[] {
  const words: Word[] = []
  for (let at = 0; at < bytes.length; ) {
    const kind = kindOfRune(runeAt(bytes, at).value)
    const end = kind === 'upper' ? upperEnd(bytes, at) : sameKindEnd(bytes, at, kind)
    words.push({ kind, bytes: bytes.slice(at, end) })
    at = end
  }
  return words
}

function sameKindEnd(bytes: string, start: number, kind: WordKind): number {
  let end = start
  while (end < bytes.length) {
    const rune = runeAt(bytes, end)
    if (kindOfRune(rune.value) !== kind) break
    end += rune.size
  }
  return end
}

function upperEnd(bytes: string, start: number): number {
  let end = sameKindEnd(bytes, start, 'upper')
  if (end >= bytes.length || kindOfRune(runeAt(bytes, end).value) !== 'alphabet') return end
  let last = start
  for (let at = start; at < end; at += runeAt(bytes, at).size) last = at
  if (last > start) return last
  end = sameKindEnd(bytes, end, 'alphabet')
  return end
}

/** Lower-case words with a connector between them: `HTTPServer2xx` gives `http_server_2xx`. */
function separateWords({ budget }: CallContext, bytes: string, connector: string): string {
  budget.spend(bytes.length)
  const words = splitByKind(bytes)
  const out: string[] = []
  const kindAt = (at: number): WordKind => words[at]?.kind ?? 'none'
  const separates = (kind: WordKind): boolean => kind !== 'none' && kind !== 'connector' && kind !== 'punctuation'
  const push = (at: number): void => {
    const word = words[at]
    if (word !== undefined) out.push(wordText(word, connector))
  }
  const pushRun = (start: number): number => {
    let at = start
    while (kindAt(at) === 'alphabet' || kindAt(at) === 'number') push(at++)
    return at
  }
  let at = 0
  while (at < words.length) {
    const kind = kindAt(at)
    push(at++)
    if (kind === 'connector' || kind === 'punctuation') continue
    if (kind === 'number') at = pushRun(at)
    else if (kindAt(at) === 'number' && at + 1 < words.length) {
      if (kindAt(at + 1) === 'alphabet') out.push(connector)
      push(at++)
      if (kindAt(at) === 'alphabet') at = pushRun(at)
    } else if (kindAt(at) === 'number') {
      continue
    }
    if (separates(kindAt(at))) out.push(connector)
  }
  return out.join('')
}

function wordText({ kind, bytes }: Word, connector: string): string {
  if (kind === 'connector') return Array.from(runes(bytes), () => connector).join('')
  return kind === 'upper' ? mapRunes(bytes, (rune) => (isUpper(rune) ? toLower(rune) : rune)) : bytes
}

/** Words joined without connectors, each with a capital: `http_server` gives `HttpServer`. */
function pascalCase(bytes: string): string {
  const out: string[] = []
  let previous: number | undefined
  let wasUpper = false
  for (const { value } of runes(bytes)) {
    let rune = value
    if (previous === undefined) {
      if (isConnector(value)) {
        out.push(runeBytes(value))
        continue
      }
      wasUpper = isUpper(value)
      rune = toUpper(value)
    } else if (isConnector(previous)) {
      if (isConnector(value)) out.push(runeBytes(previous))
      else {
        wasUpper = isUpper(value)
        rune = toUpper(value)
      }
    } else {
      if (wasUpper && isUpper(value)) rune = toLower(value)
      else wasUpper = false
      out.push(runeBytes(previous))
    }
    previous = rune
  }
  // When there are only connectors, the library repeats the last one.
  out.push(previous === undefined ? (out.at(-1) ?? '') : runeBytes(previous))
  return out.join('')
}
