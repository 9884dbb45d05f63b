import { toCount, toTextArgument } from '../arguments.ts'
import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { formatPercent } from '../format/percent.ts'
import { callOnMarkup } from '../methods/markup-methods.ts'
import { replaceText, TEXT_METHODS } from '../methods/text-methods.ts'
import { applyOperator } from '../operators.ts'
import { printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { isSpace, isWordCharacter } from '../text/characters.ts'
import { countCodePoints, toUnitOffset } from '../text/code-points.ts'
import { findLastText } from '../text/search.ts'
import { splitLines } from '../text/split.ts'
import { wrapText } from '../text/wrap.ts'
import { isTrue, measureLength } from '../truth.ts'
import { define, type Implementation, NO_NAMES } from '../values/callable.ts'
import { Dict } from '../values/dict.ts'
import { typeName } from '../values/type-name.ts'
import { isList, isText, likeText, type Markup, Tuple, toPlainText, type Value } from '../values/value.ts'

/** Filters on text. Most accept any value and use its printed form. */
export const TEXT_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  ['string', define('string', 'value', (run, [value]) => toSoftText(run, value))],
  ['upper', define('upper', 's', (run, [value]) => callMethod(run, value, 'upper'))],
  ['lower', define('lower', 's', (run, [value]) => callMethod(run, value, 'lower'))],
  ['capitalize', define('capitalize', 's', (run, [value]) => callMethod(run, value, 'capitalize'))],
  ['center', define('center', 'value width?', (run, [value, width = 80]) => callMethod(run, value, 'center', width))],
  [
    'trim',
    define('trim', 'value chars?', (run, [value, characters = null]) => callMethod(run, value, 'strip', characters)),
  ],
  ['title', define('title', 's', (run, [value]) => capitalizeWords(run, printValue(run, value)))],
  [
    'replace',
    define('replace', 's old new count?', (run, [value, old, replacement, count = null]) => {
      const change = {
        old: printValue(run, old),
        new: printValue(run, replacement),
        count: count === null ? -1 : toCount(count),
      }
      return replaceText(run, printValue(run, value), change)
    }),
  ],
  ['format', (run, { positional, named }) => format(run, positional, named)],
  [
    'indent',
    define('indent', 's width? first? blank?', (run, [value, width = 4, first = false, blank = false]) =>
      indent(run, value, { width, first: isTrue(first), blank: isTrue(blank) }),
    ),
  ],
  [
    'truncate',
    define(
      'truncate',
      's length? killwords? end? leeway?',
      (run, [value, length = 255, kill = false, end = '...', leeway = null]) =>
        truncate(run, value, {
          length: toCount(length),
          killWords: isTrue(kill),
          end: toTextArgument(end),
          leeway: leeway === null ? 5 : toCount(leeway),
        }),
    ),
  ],
  [
    'wordwrap',
    define(
      'wordwrap',
      's width? break_long_words? wrapstring? break_on_hyphens?',
      (run, [value, width = 79, breakWords = true, separator = null, breakHyphens = true]) => {
        const text = toText(value, 'splitlines')
        const options = { width: toCount(width), breakWords: isTrue(breakWords), breakHyphens: isTrue(breakHyphens) }
        if (options.width <= 0) raise('ValueError', `invalid width ${options.width} (must be > 0)`)
        run.walk(text.length * 32)
        const between = separator === null ? '\n' : toTextArgument(separator)
        const lines = splitLines(text).map((line) => wrapText(line, options))
        run.reserve(text.length + between.length * lines.reduce((sum, parts) => sum + parts.length, 0))
        return lines.map((parts) => parts.join(between)).join(between)
      },
    ),
  ],
  ['wordcount', define('wordcount', 's', (run, [value]) => countWords(run, printValue(run, value)))],
])

/** The text of a value, safe where it was. */
function toSoftText(run: Rendering, value: Value): string | Markup {
  return isText(value) ? value : printValue(run, value)
}

function callMethod(run: Rendering, value: Value, name: string, ...positional: Value[]): Value {
  const method = TEXT_METHODS.get(name) ?? raise('RuntimeError', `no method ${name}`)
  const text = toSoftText(run, value)
  const given = { positional, named: NO_NAMES }
  return typeof text === 'string' ? method(run, text, given) : callOnMarkup(run, text, { name, method, given })
}

/** Every word with its first letter in upper case; words begin after blanks, dashes and opening brackets. */
function capitalizeWords(run: Rendering, text: string): string {
  run.walk(text.length * 4)
  let result = ''
  let start = 0
  let inGap = isGap(text, 0)
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isGap(text, index) === inGap) continue
    result += capitalizeRun(text.slice(start, index))
    start = index
    inGap = !inGap
  }
  return run.built(result)
}

function capitalizeRun(run: string): string {
  const first = String.fromCodePoint(run.codePointAt(0) ?? 0)
  return run === '' ? '' : first.toUpperCase() + run.slice(first.length).toLowerCase()
}

function isGap(text: string, index: number): boolean {
  return '-({[<'.includes(text[index] ?? '?') || isSpace(text.charCodeAt(index))
}

function format(run: Rendering, positional: readonly Value[], named: ReadonlyMap<string, Value>): Value {
  const [value = '', ...values] = positional
  if (named.size === 0) return formatPercent(run, toSoftText(run, value), new Tuple(values))
  if (values.length > 0) raise('FilterArgumentError', "can't handle positional and keyword arguments at the same time")
  const dict = new Dict()
  for (const [name, item] of named) dict.set(name, item)
  return formatPercent(run, toSoftText(run, value), dict)
}

function toText(value: Value, method: string): string {
  failOnUndefined(value)
  if (isText(value)) return toPlainText(value)
  return raise('AttributeError', `'${typeName(value)}' object has no attribute '${method}'`)
}

function indent(
  run: Rendering,
  value: Value,
  { width, first, blank }: { readonly width: Value; readonly first: boolean; readonly blank: boolean },
): Value {
  const margin = isText(width) ? toPlainText(width) : toPlainText(toTextResult(applyOperator(run, '*', ' ', width)))
  failOnUndefined(value)
  if (!isText(value)) {
    // A list takes the text in, character by character, and fails one step later.
    const exception = isList(value) ? 'AttributeError' : 'TypeError'
    return raise(exception, `unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`)
  }
  const lines = splitLines(`${toPlainText(value)}\n`)
  run.reserve(toPlainText(value).length + margin.length * lines.length)
  const indented = lines.map((line, index) => ((index === 0 ? first : blank || line !== '') ? margin + line : line))
  return likeText(value, indented.join('\n'))
}

function toTextResult(value: Value): string | Markup {
  return isText(value) ? value : raise('TypeError', 'expected str')
}

function truncate(
  run: Rendering,
  value: Value,
  options: { readonly length: number; readonly killWords: boolean; readonly end: string; readonly leeway: number },
): Value {
  const { length, killWords, end, leeway } = options
  const endLength = countCodePoints(end)
  if (length < endLength) raise('AssertionError', `expected length >= ${endLength}, got ${length}`)
  if (leeway < 0) raise('AssertionError', `expected leeway >= 0, got ${leeway}`)
  if (measureLength(run, value) <= length + leeway) return value
  if (!isText(value)) return raise('AttributeError', `'${typeName(value)}' object has no attribute 'rsplit'`)
  const text = toPlainText(value)
  const head = run.built(text.slice(0, toUnitOffset(text, length - endLength)))
  const space = killWords ? -1 : findLastText(head, ' ')
  return likeText(value, (space < 0 ? head : head.slice(0, space)) + end)
}

function countWords(run: Rendering, text: string): number {
  run.walk(text.length * 4)
  let count = 0
  let inWord = false
  for (const character of text) {
    const isWord = isWordCharacter(character)
    if (isWord && !inWord) count++
    inWord = isWord
  }
  return count
}
