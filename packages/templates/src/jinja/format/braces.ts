import { raise } from '../errors.ts'
import { printCode, printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { toAscii } from '../text/quote.ts'
import type { Value } from '../values/value.ts'
import { formatValue } from './spec.ts'

/** Fields inside the specification of a field; one level, as in Python. */
const MAX_NESTING = 2

/** Source of the values, and their conversion. */
export interface BraceSource {
  readonly positional: readonly Value[]
  /** The value of a name; undefined for an unknown name. */
  named(name: string): Value | undefined
  /** `object.name` of a template. */
  attribute(object: Value, name: string): Value
  /** `object[key]` of a template. */
  item(object: Value, key: Value): Value
  /** Finishes every value after its conversion to text. */
  finish(text: string, value: Value): string
}

/** Fills in the fields of a text: Python's `text.format(…)`. @throws ValueError, KeyError, IndexError */
export function formatBraces(run: Rendering, format: string, source: BraceSource): string {
  return new BraceFormatter(run, source).format(format, MAX_NESTING)
}

class BraceFormatter {
  readonly #run: Rendering
  readonly #source: BraceSource
  /** The number of the next field without a name; -1 once a field had a number. */
  #next = 0

  constructor(run: Rendering, source: BraceSource) {
    this.#run = run
    this.#source = source
  }

  format(format: string, nesting: number): string {
    this.#run.walk(format.length * 8)
    if (nesting === 0) raise('ValueError', 'Max string recursion exceeded')
    let result = ''
    let index = 0
    while (index < format.length) {
      const brace = findAny(format, '{}', index)
      result += format.slice(index, brace)
      if (brace === format.length) break
      if (format[brace] === format[brace + 1]) {
        result += format[brace]
        index = brace + 2
        continue
      }
      if (format[brace] === '}') raise('ValueError', "Single '}' encountered in format string")
      const end = findFieldEnd(format, brace)
      result += this.#run.built(this.#fill(format.slice(brace + 1, end), nesting))
      index = end + 1
    }
    return this.#run.built(result)
  }

  #fill(field: string, nesting: number): string {
    const { name, conversion, specification } = splitField(field)
    const value = this.#lookUp(name)
    const spec = specification.includes('{') ? this.format(specification, nesting - 1) : specification
    const converted = this.#convert(value, conversion)
    const text = formatValue(this.#run, converted, spec) ?? printValue(this.#run, converted)
    return this.#source.finish(text, converted)
  }

  #convert(value: Value, conversion: string): Value {
    switch (conversion) {
      case '':
        return value
      case 's':
        return printValue(this.#run, value)
      case 'r':
        return printCode(this.#run, value)
      case 'a':
        return toAscii(this.#run, printCode(this.#run, value))
      default:
        return raise('ValueError', `Unknown conversion specifier '${conversion}'`)
    }
  }

  /** Follows a name such as `0.role[key]`. */
  #lookUp(path: string): Value {
    const first = path.slice(0, findAny(path, '.[', 0))
    if (first === '' && path !== '') raise('KeyError', 'a field of the format has no name')
    let value = this.#lookUpFirst(first)
    let index = first.length
    while (index < path.length) {
      const isAttribute = path[index] === '.'
      const end = isAttribute ? findAny(path, '.[', index + 1) : path.indexOf(']', index)
      if (end < 0) raise('ValueError', "Missing ']' in format string")
      const name = path.slice(index + 1, end)
      if (name === '') raise('ValueError', 'Empty attribute in format string')
      value = isAttribute ? this.#source.attribute(value, name) : this.#source.item(value, toKey(name))
      index = isAttribute ? end : end + 1
      if (!isAttribute && index < path.length && path[index] !== '.' && path[index] !== '[') {
        raise('ValueError', "Only '.' or '[' may follow ']' in format field specifier")
      }
    }
    return value
  }

  #lookUpFirst(name: string): Value {
    const key = name === '' ? this.#nextNumber() : toKey(name)
    if (typeof key === 'string') {
      const value = this.#source.named(key)
      return value === undefined ? raise('KeyError', 'a field of the format has no value') : value
    }
    if (name !== '') {
      if (this.#next > 0) raise('ValueError', 'cannot switch from automatic field numbering to manual')
      this.#next = -1
    }
    const value = this.#source.positional[key]
    if (value === undefined) raise('IndexError', `Replacement index ${key} out of range for positional args tuple`)
    return value
  }

  #nextNumber(): number {
    if (this.#next < 0)
      raise('ValueError', 'cannot switch from manual field specification to automatic field numbering')
    return this.#next++
  }
}

/** The first of some characters, or the end of the text. */
function findAny(text: string, characters: string, start: number): number {
  let index = start
  while (index < text.length && !characters.includes(text[index] ?? '')) index++
  return index
}

/** The closing brace of the field that opens at `start`; fields inside and brackets are passed over. */
function findFieldEnd(format: string, start: number): number {
  let depth = 0
  let inBrackets = false
  for (let index = start; index < format.length; index++) {
    const character = format[index]
    if (inBrackets) inBrackets = character !== ']'
    else if (character === '[') inBrackets = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return index
  }
  return raise('ValueError', "expected '}' before end of string")
}

function splitField(field: string): { name: string; conversion: string; specification: string } {
  let end = 0
  let inBrackets = false
  for (; end < field.length; end++) {
    const character = field[end]
    if (inBrackets) inBrackets = character !== ']'
    else if (character === '[') inBrackets = true
    else if (character === '!' || character === ':') break
  }
  const name = field.slice(0, end)
  if (field[end] !== '!') return { name, conversion: '', specification: field.slice(end + 1) }
  const conversion = field[end + 1] ?? raise('ValueError', "unmatched '{' in format spec")
  if (end + 2 < field.length && field[end + 2] !== ':') raise('ValueError', "expected ':' after conversion specifier")
  return { name, conversion, specification: field.slice(end + 3) }
}

function toKey(name: string): string | number {
  let value = 0
  for (const character of name) {
    if (character < '0' || character > '9') return name
    value = value * 10 + Number(character)
  }
  if (!Number.isSafeInteger(value)) raise('ValueError', 'Too many decimal digits in format string')
  return value
}
