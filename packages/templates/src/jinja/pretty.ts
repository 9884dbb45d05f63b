import { printCode } from './print.ts'
import type { Rendering } from './rendering.ts'
import { isSpace } from './text/characters.ts'
import { compareCodePoints, countCodePoints } from './text/code-points.ts'
import { quoteText } from './text/quote.ts'
import { splitLines } from './text/split.ts'
import { Dict } from './values/dict.ts'
import { typeName } from './values/type-name.ts'
import { isList, Tuple, type Value } from './values/value.ts'

const WIDTH = 80

/** A value as code, over several lines if one is too narrow; keys in order: Python's `pprint.pformat`. */
export function printPretty(run: Rendering, value: Value): string {
  return new PrettyPrinter(run).print(sortKeys(run, value), { indent: 0, allowance: 0, level: 0 })
}

/** The place where a value is printed. */
interface Place {
  /** Blanks before it. */
  readonly indent: number
  /** Characters that have to fit behind it. */
  readonly allowance: number
  readonly level: number
}

class PrettyPrinter {
  readonly #run: Rendering

  constructor(run: Rendering) {
    this.#run = run
  }

  print(value: Value, place: Place): string {
    const { indent, allowance, level } = place
    const code = printCode(this.#run, value)
    if (countCodePoints(code) <= WIDTH - indent - allowance) return code
    const inner = { indent, allowance, level: level + 1 }
    if (typeof value === 'string') return this.#printText(value, inner)
    if (isList(value)) return this.#printItems(value, inner, ['[', ']'])
    if (value instanceof Tuple)
      return this.#printItems(value.items, inner, ['(', value.items.length === 1 ? ',)' : ')'])
    if (value instanceof Dict) return this.#printDict(value, inner)
    return code
  }

  #printItems(items: readonly Value[], { indent, allowance, level }: Place, [open, close]: [string, string]): string {
    const parts = items.map((item, index) => {
      const isLast = index === items.length - 1
      return this.print(item, { indent: indent + 1, allowance: isLast ? allowance + close.length : 1, level })
    })
    return this.#join(parts, { indent: indent + 1, open, close })
  }

  #printDict(dict: Dict, { indent, allowance, level }: Place): string {
    const entries = [...dict.entries()]
    const parts = entries.map(([key, value], index) => {
      const name = printCode(this.#run, key)
      const isLast = index === entries.length - 1
      const place = { indent: indent + countCodePoints(name) + 3, allowance: isLast ? allowance + 1 : 1, level }
      return `${name}: ${this.print(value, place)}`
    })
    return this.#join(parts, { indent: indent + 1, open: '{', close: '}' })
  }

  #join(parts: readonly string[], { indent, open, close }: { indent: number; open: string; close: string }): string {
    this.#run.reserve(indent * parts.length)
    return this.#run.built(open + parts.join(`,\n${' '.repeat(indent)}`) + close)
  }

  /** A long text as several literals; in parentheses when no other brackets surround it. */
  #printText(text: string, place: Place): string {
    this.#run.walk(text.length * 8)
    const isTop = place.level === 1
    const indent = place.indent + (isTop ? 1 : 0)
    const allowance = place.allowance + (isTop ? 1 : 0)
    const chunks = toChunks(text, WIDTH - indent, allowance)
    if (chunks.length === 1) return chunks[0] ?? ''
    this.#run.reserve((indent + 1) * chunks.length)
    const joined = chunks.join(`\n${' '.repeat(indent)}`)
    return this.#run.built(isTop ? `(${joined})` : joined)
  }
}

/** Literals of the lines of a text, and of their words where a line is too long. */
function toChunks(text: string, width: number, allowance: number): string[] {
  const chunks: string[] = []
  const lines = splitLines(text, true)
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    const literal = quoteText(line)
    if (countCodePoints(literal) <= width - (isLast ? allowance : 0)) chunks.push(literal)
    else chunks.push(...toWordChunks(line, width, isLast ? allowance : 0))
  }
  return chunks
}

function toWordChunks(line: string, width: number, allowance: number): string[] {
  const chunks: string[] = []
  const words = splitWordsWithBlanks(line)
  let current = ''
  let currentWidth = 0
  for (const [index, word] of words.entries()) {
    const limit = index === words.length - 1 ? width - allowance : width
    const wordWidth = countCodePoints(quoteText(word)) - 2
    // The joined literal is only made when it may fit, so that the work stays proportional.
    const fits = currentWidth + wordWidth <= limit + 2 && countCodePoints(quoteText(current + word)) <= limit
    if (!fits && current !== '') chunks.push(quoteText(current))
    current = fits ? current + word : word
    currentWidth = fits ? currentWidth + wordWidth : wordWidth
  }
  if (current !== '') chunks.push(quoteText(current))
  return chunks
}

/** Words, each with the blanks behind it. */
function splitWordsWithBlanks(line: string): string[] {
  const words: string[] = []
  let start = 0
  for (let index = 1; index <= line.length; index++) {
    const begins = isSpace(line.charCodeAt(index - 1)) && !isSpace(line.charCodeAt(index))
    if (index < line.length && !begins) continue
    words.push(line.slice(start, index))
    start = index
  }
  return words
}

/** The value with the keys of every dict in printing order. */
function sortKeys(run: Rendering, value: Value): Value {
  run.spend()
  run.enter()
  const sorted = sortInside(run, value)
  run.leave()
  return sorted
}

function sortInside(run: Rendering, value: Value): Value {
  if (isList(value)) return value.map((item) => sortKeys(run, item))
  if (value instanceof Tuple) return new Tuple(value.items.map((item) => sortKeys(run, item)))
  if (!(value instanceof Dict)) return value
  const sorted = new Dict()
  for (const [key, item] of [...value.entries()].sort(([a], [b]) => compareKeys(a, b)))
    sorted.set(key, sortKeys(run, item))
  return sorted
}

/** Orders keys without an order of their own by type. */
function compareKeys(left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string') return compareCodePoints(left, right)
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return compareCodePoints(typeName(left), typeName(right))
}
