import { toCount, toIndex, toOptionalText, toTextArgument } from '../arguments.ts'
import { raise } from '../errors.ts'
import { toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import { countCodePoints, hasSurrogates, toCodePoints } from '../text/code-points.ts'
import { capitalize, foldCase, swapCase, toTitleCase } from '../text/letter-case.ts'
import { findAll, findLastText, findText } from '../text/search.ts'
import { splitLines, splitText, splitTextFromEnd, splitWords, splitWordsFromEnd } from '../text/split.ts'
import { type Ends, trimText } from '../text/trim.ts'
import { Dict } from '../values/dict.ts'
import { typeName } from '../values/type-name.ts'
import { Bytes, isText, Tuple, toPlainText, type Value } from '../values/value.ts'
import { MethodTable } from './method.ts'
import { addTextSearch } from './text-search.ts'
import { addTextTests } from './text-tests.ts'

/** The methods of texts, but for `format` and `format_map`, which look up attributes. */
export const TEXT_METHODS = new MethodTable<string>()
  .add('upper', '', (run, text) => run.built(text.toUpperCase()))
  .add('lower', '', (run, text) => run.built(text.toLowerCase()))
  .add('capitalize', '', (run, text) => run.built(capitalize(text)))
  .add('title', '', (run, text) => mapCharacters(run, text, toTitleCase))
  .add('swapcase', '', (run, text) => mapCharacters(run, text, swapCase))
  .add('casefold', '', (run, text) => mapCharacters(run, text, foldCase))
  .add('strip', 'characters?', (run, text, [characters]) => trim(run, text, { ends: 'both', characters }))
  .add('lstrip', 'characters?', (run, text, [characters]) => trim(run, text, { ends: 'start', characters }))
  .add('rstrip', 'characters?', (run, text, [characters]) => trim(run, text, { ends: 'end', characters }))
  .addNamed('split', 'sep? maxsplit?', (run, text, [separator, limit]) =>
    split(run, text, { separator, limit, atBlanks: splitWords, atText: splitText }),
  )
  .addNamed('rsplit', 'sep? maxsplit?', (run, text, [separator, limit]) =>
    split(run, text, { separator, limit, atBlanks: splitWordsFromEnd, atText: splitTextFromEnd }),
  )
  .addNamed('splitlines', 'keepends?', (run, text, [keepEnds = false]) => {
    run.walk(text.length * 2)
    return splitLines(text, toIndex(keepEnds) !== 0)
  })
  .add('partition', 'sep', (run, text, [separator]) => {
    const wanted = toSeparator(separator)
    run.search(text, wanted)
    const offset = findText(text, wanted)
    if (offset < 0) return new Tuple([text, '', ''])
    return new Tuple([text.slice(0, offset), wanted, text.slice(offset + wanted.length)])
  })
  .add('rpartition', 'sep', (run, text, [separator]) => {
    const wanted = toSeparator(separator)
    run.search(text, wanted)
    const offset = findLastText(text, wanted)
    if (offset < 0) return new Tuple(['', '', text])
    return new Tuple([text.slice(0, offset), wanted, text.slice(offset + wanted.length)])
  })
  .add('join', 'iterable', (run, text, [iterable]) => joinTexts(run, text, iterable))
  .add('replace', 'old new count?', (run, text, [old, replacement, count = -1]) =>
    replaceText(run, text, { old: toTextArgument(old), new: toTextArgument(replacement), count: toCount(count) }),
  )
  .add('removeprefix', 'prefix', (run, text, [prefix]) => {
    const start = toTextArgument(prefix)
    run.search(start)
    return text.startsWith(start) ? text.slice(start.length) : text
  })
  .add('removesuffix', 'suffix', (run, text, [suffix]) => {
    const end = toTextArgument(suffix)
    run.search(end)
    return end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text
  })
  .add('center', 'width fillchar?', (run, text, [width, fill]) => {
    const missing = toMissing(text, width)
    // The left side gets an odd blank when the width is odd, as in the reference.
    const left = Math.floor(missing / 2) + (missing & toCount(width) & 1)
    return pad(run, text, { before: left, after: missing - left, fill })
  })
  .add('ljust', 'width fillchar?', (run, text, [width, fill]) =>
    pad(run, text, { before: 0, after: toMissing(text, width), fill }),
  )
  .add('rjust', 'width fillchar?', (run, text, [width, fill]) =>
    pad(run, text, { before: toMissing(text, width), after: 0, fill }),
  )
  .add('zfill', 'width', (run, text, [width]) => {
    const sign = text.startsWith('-') || text.startsWith('+') ? 1 : 0
    const padded = pad(run, text.slice(sign), { before: toMissing(text, width), after: 0, fill: '0' })
    return text.slice(0, sign) + padded
  })
  .addNamed('expandtabs', 'tabsize?', (run, text, [size = 8]) => expandTabs(run, text, toCount(size)))
  .addNamed('encode', 'encoding? errors?', (run, text, [encoding = 'utf-8']) => {
    const name = toTextArgument(encoding).toLowerCase()
    if (name !== 'utf-8' && name !== 'utf8') raise('LookupError', 'the only encoding is utf-8')
    run.reserve(text.length * 3)
    return new Bytes(new TextEncoder().encode(text))
  })
  .add('translate', 'table', (run, text, [table]) => translate(run, text, table))

addTextSearch(TEXT_METHODS)
addTextTests(TEXT_METHODS)

/** Applies a change that looks at every character. */
function mapCharacters(run: Rendering, text: string, change: (text: string) => string): string {
  run.walk(text.length * 4)
  return run.built(change(text))
}

/** Joins texts with a text between them. @throws TypeError where an item is not a text */
function joinTexts(run: Rendering, separator: string, iterable: Value): string {
  const items = toItems(run, iterable)
  const parts = items.map((item, index) => {
    if (isText(item)) return toPlainText(item)
    return raise('TypeError', `sequence item ${index}: expected str instance, ${typeName(item)} found`)
  })
  let length = separator.length * Math.max(0, parts.length - 1)
  for (const part of parts) length += part.length
  run.reserve(length)
  return parts.join(separator)
}

/** A text with the first `count` matches replaced; all of them where the count is negative. */
export function replaceText(
  run: Rendering,
  text: string,
  change: { readonly old: string; readonly new: string; readonly count: number },
): string {
  run.search(text, change.old)
  const limit = toLimit(run, change.count)
  if (change.old === '') return replaceGaps(run, text, { filler: change.new, limit })
  const offsets = findAll(text, change.old, limit)
  run.spend(offsets.length)
  run.reserve(text.length + offsets.length * (change.new.length - change.old.length))
  let result = ''
  let start = 0
  for (const offset of offsets) {
    result += text.slice(start, offset) + change.new
    start = offset + change.old.length
  }
  return result + text.slice(start)
}

/** The empty text matches before every character and at the end. */
function replaceGaps(run: Rendering, text: string, { filler, limit }: { filler: string; limit: number }): string {
  run.walk(text.length)
  const characters = toCodePoints(text)
  const gaps = Math.min(limit, characters.length + 1)
  run.spend(gaps)
  run.reserve(text.length + gaps * filler.length)
  let result = ''
  for (const [index, character] of characters.entries()) result += (index < limit ? filler : '') + character
  return result + (characters.length < limit ? filler : '')
}

/** The most matches to look for: a negative count means as many as the steps left allow. */
function toLimit(run: Rendering, count: number): number {
  return count < 0 || count > run.stepsLeft ? run.stepsLeft + 1 : count
}

function trim(
  run: Rendering,
  text: string,
  { ends, characters }: { readonly ends: Ends; readonly characters: Value | undefined },
): string {
  const unwanted = toOptionalText(characters)
  if (unwanted !== undefined) run.walk(unwanted.length * 4 + (hasSurrogates(unwanted) ? text.length : 0))
  const trimmed = trimText(text, ends, unwanted)
  run.walk(text.length - trimmed.length)
  return trimmed
}

/** Options of splitting a text. */
interface SplitOptions {
  readonly separator: Value | undefined
  readonly limit: Value | undefined
  readonly atBlanks: (text: string, limit: number) => string[]
  readonly atText: (text: string, separator: string, limit: number) => string[]
}

function split(run: Rendering, text: string, options: SplitOptions): string[] {
  const { separator, limit = -1, atBlanks, atText } = options
  const wanted = toOptionalText(separator)
  if (wanted === '') raise('ValueError', 'empty separator')
  const count = toCount(limit)
  if (wanted === undefined) run.walk(text.length)
  else run.search(text, wanted)
  const most = toLimit(run, count)
  const parts = wanted === undefined ? atBlanks(text, most) : atText(text, wanted, most)
  run.spend(parts.length)
  return parts
}

function toReplacement(value: Value): string {
  if (typeof value !== 'number') return toTextArgument(value)
  if (value < 0 || value > 0x10ffff) raise('ValueError', 'character mapping must be in range(0x110000)')
  return String.fromCodePoint(value)
}

function toSeparator(value: Value): string {
  const text = toTextArgument(value)
  return text === '' ? raise('ValueError', 'empty separator') : text
}

function toMissing(text: string, width: Value): number {
  return Math.max(0, toCount(width) - countCodePoints(text))
}

function pad(
  run: Rendering,
  text: string,
  { before, after, fill = ' ' }: { readonly before: number; readonly after: number; readonly fill: Value | undefined },
): string {
  const filler = toTextArgument(fill)
  if (countCodePoints(filler) !== 1) raise('TypeError', 'The fill character must be exactly one character long')
  run.reserve(text.length + (before + after) * filler.length)
  return filler.repeat(before) + text + filler.repeat(after)
}

function expandTabs(run: Rendering, text: string, size: number): string {
  run.walk(text.length * 4)
  const width = Math.max(0, size)
  let result = ''
  let column = 0
  for (const character of text) {
    if (character === '\t') {
      const blanks = width === 0 ? 0 : width - (column % width)
      run.checkLength(result.length + blanks)
      run.reserve(blanks)
      result += ' '.repeat(blanks)
      column += blanks
    } else {
      result += character
      column = character === '\n' || character === '\r' ? 0 : column + 1
    }
  }
  return run.built(result)
}

/** Replaces characters by a dict from code points to texts, code points or `none`. */
function translate(run: Rendering, text: string, table: Value): string {
  if (!(table instanceof Dict)) return raise('TypeError', `'${typeName(table)}' object is not subscriptable`)
  run.walk(text.length * 4)
  let result = ''
  for (const character of text) {
    const replacement = table.get(character.codePointAt(0) ?? 0)
    if (replacement === undefined) result += character
    else if (replacement !== null) result += run.built(toReplacement(replacement))
    run.checkLength(result.length)
  }
  return result
}
