import { fail } from '../errors.ts'
import { formatDefault } from '../format/print.ts'
import { type CallContext, type FunctionTable, fixed, variadic } from '../function.ts'
import { quoteString } from '../quote.ts'
import { countOccurrences, explode, lowerCase, splitAt, trimSet, trimSpace, upperCase } from '../text.ts'
import { GoMap, type GoValue, goStrings } from '../values.ts'
import { stringValue, stringValues } from './convert.ts'

/** Texts: trimming, cutting, joining, replacing. Positions and widths count bytes. */
export const STRING_FUNCTIONS: FunctionTable = {
  trim: fixed(['string'], (_, text) => trimSpace(text)),
  trimAll: fixed(['string', 'string'], (_, set, text) => trimSet(text, set)),
  trimall: fixed(['string', 'string'], (_, set, text) => trimSet(text, set)),
  trimPrefix: fixed(['string', 'string'], (_, part, text) => (text.startsWith(part) ? text.slice(part.length) : text)),
  trimSuffix: fixed(['string', 'string'], (_, part, text) =>
    part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text,
  ),
  upper: fixed(['string'], (_, text) => upperCase(text)),
  lower: fixed(['string'], (_, text) => lowerCase(text)),
  contains: fixed(['string', 'string'], (_, part, text) => text.includes(part)),
  hasPrefix: fixed(['string', 'string'], (_, part, text) => text.startsWith(part)),
  hasSuffix: fixed(['string', 'string'], (_, part, text) => text.endsWith(part)),
  replace: fixed(['string', 'string', 'string'], (context, from, to, text) => replaceAll(context, text, from, to)),
  repeat: fixed(['int', 'string'], (context, count, text) => repeat(context, count, text)),
  substr: fixed(['int', 'int', 'string'], (_, start, end, text) => substring(start, end, text)),
  trunc: fixed(['int', 'string'], (_, count, text) => truncate(count, text)),
  indent: fixed(['int', 'string'], (context, spaces, text) => indent(context, spaces, text)),
  nindent: fixed(['int', 'string'], (context, spaces, text) => `\n${indent(context, spaces, text)}`),
  plural: fixed(['string', 'string', 'int'], (_, one, many, count) => (count === 1 ? one : many)),
  quote: variadic([], 'any', (context, _, values) =>
    present(values)
      .map((value) => quoteString(stringValue(context, value)))
      .join(' '),
  ),
  squote: variadic([], 'any', (context, _, values) =>
    present(values)
      .map((value) => `'${stringValue(context, value)}'`)
      .join(' '),
  ),
  cat: variadic([], 'any', ({ budget }, _, values) =>
    join(
      { budget },
      present(values).map((value) => formatDefault(budget, value)),
      ' ',
    ),
  ),
  join: fixed(['string', 'any'], (context, separator, list) => join(context, stringValues(context, list), separator)),
  splitList: fixed(['string', 'string'], (context, separator, text) => {
    return goStrings(split(context, text, separator))
  }),
  split: fixed(['string', 'string'], (context, separator, text) => numbered(split(context, text, separator))),
  splitn: fixed(['string', 'int', 'string'], (context, separator, most, text) => {
    return numbered(split(context, text, separator, most))
  }),
  regexQuoteMeta: fixed(['string'], (_, text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
}

function present(values: readonly GoValue[]): GoValue[] {
  return values.filter((value) => value !== null && value !== undefined)
}

function join({ budget }: CallContext, parts: readonly string[], separator: string): string {
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0)
  budget.checkBytes(length)
  return parts.join(separator)
}

function split({ budget }: CallContext, text: string, separator: string, most = -1): string[] {
  const parts = separator === '' ? text.length : countOccurrences(text, separator) + 1
  budget.checkList(most < 0 ? parts : Math.min(parts, most))
  return splitAt(text, separator, most)
}

/** `{"_0": …, "_1": …}`. */
function numbered(parts: readonly string[]): GoMap {
  return new GoMap('string', new Map(parts.map((part, at) => [`_${at}`, part])))
}

/** `strings.ReplaceAll`; an empty text to replace occurs before every character and at the end. */
function replaceAll({ budget }: CallContext, text: string, from: string, to: string): string {
  if (from === to) return text
  const pieces = from === '' ? ['', ...explode(text), ''] : text.split(from)
  budget.checkBytes(text.length + (pieces.length - 1) * Math.max(to.length - from.length, 0))
  return from === '' ? pieces.slice(0, -1).join(to) + to : pieces.join(to)
}

function repeat({ budget }: CallContext, count: number, text: string): string {
  if (count < 0) return fail('negative repeat count')
  if (text === '') return ''
  budget.checkBytes(count * text.length)
  return text.repeat(count)
}

/** `text[start:end]`, where a negative start means from the beginning and an end out of range to the end. */
function substring(start: number, end: number, text: string): string {
  if (start < 0) return slice(text, 0, end)
  return slice(text, start, end < 0 || end > text.length ? text.length : end)
}

function slice(text: string, start: number, end: number): string {
  return start > end || end < 0 || end > text.length ? fail('slice bounds out of range') : text.slice(start, end)
}

/** The first bytes, or the last when the count is negative. */
function truncate(count: number, text: string): string {
  if (count < 0 && text.length + count > 0) return text.slice(count)
  return count >= 0 ? text.slice(0, count) : text
}

function indent({ budget }: CallContext, spaces: number, text: string): string {
  if (spaces < 0) return fail('negative repeat count')
  budget.checkBytes(text.length + spaces * (countOccurrences(text, '\n') + 1))
  const padding = ' '.repeat(spaces)
  return padding + text.split('\n').join(`\n${padding}`)
}
