import { TemplateFloat } from '../../number.ts'
import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { escapeText } from '../html.ts'
import { toFloat, toOperand } from '../numbers/arithmetic.ts'
import { printCode, printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { countCodePoints, toUnitOffset } from '../text/code-points.ts'
import { toAscii } from '../text/quote.ts'
import { Dict } from '../values/dict.ts'
import { Range } from '../values/range.ts'
import { typeName } from '../values/type-name.ts'
import { Bytes, isList, isText, likeText, Markup, Tuple, toPlainText, Undefined, type Value } from '../values/value.ts'
import { type FloatType, toBasePrefix, toFloatForm, toIntegerForm, truncateFloat } from './number-form.ts'

/** A directive such as `%-5.2f`. */
interface Directive {
  readonly key: string | undefined
  readonly flags: string
  readonly width: number | '*' | undefined
  readonly precision: number | '*' | undefined
  readonly type: string
}

/** A {@link Directive} with its stars filled in. */
interface Field {
  readonly left: boolean
  readonly zeros: boolean
  readonly sign: '' | '+' | ' '
  readonly alternate: boolean
  readonly width: number
  readonly precision: number | undefined
  readonly type: string
  /** Whether inserted text is escaped, as in a safe text. */
  readonly escapes: boolean
}

/** Fills in the directives of a text: Python's `text % values`. @throws TypeError, ValueError, KeyError */
export function formatPercent(run: Rendering, format: string | Markup, values: Value): string | Markup {
  const source = new ValueSource(values)
  run.walk(toPlainText(format).length * 4)
  const reader = new DirectiveReader(toPlainText(format))
  const escapes = format instanceof Markup
  let result = ''
  for (let piece = reader.next(); piece !== undefined; piece = reader.next()) {
    result += typeof piece === 'string' ? piece : run.built(fill(run, piece, { source, escapes }))
  }
  source.finish()
  return likeText(format, run.built(result))
}

function fill(run: Rendering, directive: Directive, into: { source: ValueSource; escapes: boolean }): string {
  const { source, escapes } = into
  if (directive.type === '%') return '%'
  if (directive.key !== undefined) source.select(directive.key)
  let { flags } = directive
  let width = directive.width === '*' ? source.nextSize() : (directive.width ?? 0)
  if (width < 0) {
    flags += '-'
    width = -width
  }
  run.reserve(width)
  const precision = directive.precision === '*' ? Math.max(0, source.nextSize()) : directive.precision
  const field: Field = {
    left: flags.includes('-'),
    zeros: flags.includes('0'),
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
    alternate: flags.includes('#'),
    width,
    precision,
    type: directive.type,
    escapes,
  }
  return convert(run, field, source.next())
}

function convert(run: Rendering, field: Field, value: Value): string {
  switch (field.type) {
    case 's':
      return padText(toShown(run, printValue(run, value), field), field)
    case 'r':
      return padText(toShown(run, printCode(run, value), field), field)
    case 'a':
      return padText(toShown(run, toAscii(run, printCode(run, value)), field), field)
    case 'c':
      return padText(toCharacter(value), field)
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return formatInteger(run, field, value)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return formatFloat(run, field, { value, type: field.type })
    default:
      return raise('ValueError', `unsupported format character '${field.type}'`)
  }
}

function formatInteger(run: Rendering, field: Field, value: Value): string {
  const { type, precision = 0 } = field
  const operand = toOperand(value)
  const decimal = type === 'd' || type === 'i' || type === 'u'
  if (decimal) failOnUndefined(value)
  if (operand === undefined || (operand instanceof TemplateFloat && !decimal)) {
    const wanted = decimal ? 'a real number' : 'an integer'
    return raise('TypeError', `%${type} format: ${wanted} is required, not ${typeName(value)}`)
  }
  const integer = operand instanceof TemplateFloat ? truncateFloat(operand.value) : operand
  const { negative, digits } = toIntegerForm(run, integer, type)
  run.reserve(precision)
  const padded = digits.padStart(precision, '0')
  const prefix = toSign(negative, field) + (field.alternate ? toBasePrefix(type) : '')
  return padNumber(prefix, type === 'X' ? padded.toUpperCase() : padded, field)
}

function formatFloat(
  run: Rendering,
  field: Field,
  { value, type }: { readonly value: Value; readonly type: FloatType },
): string {
  failOnUndefined(value)
  const operand = toOperand(value)
  if (operand === undefined) return raise('TypeError', `must be real number, not ${typeName(value)}`)
  const { precision = 6, alternate } = field
  const { negative, digits } = toFloatForm(run, toFloat(operand), { type, precision, alternate })
  return padNumber(toSign(negative, field), digits, field)
}

function toCharacter(value: Value): string {
  if (isText(value) && countCodePoints(toPlainText(value)) === 1) return toPlainText(value)
  const code = toOperand(value)
  if (code === undefined || code instanceof TemplateFloat) return raise('TypeError', '%c requires int or char')
  if (code < 0 || code > 0x10ffff) raise('OverflowError', '%c arg not in range(0x110000)')
  return String.fromCodePoint(Number(code))
}

function toShown(run: Rendering, text: string, { precision, escapes }: Field): string {
  const shown = escapes ? escapeText(run, text) : text
  if (precision !== undefined) run.walk(Math.min(precision, shown.length))
  return precision === undefined ? shown : shown.slice(0, toUnitOffset(shown, precision))
}

function toSign(negative: boolean, { sign }: Field): string {
  return negative ? '-' : sign
}

function padText(text: string, { width, left }: Field): string {
  const fill = ' '.repeat(Math.max(0, width - countCodePoints(text)))
  return left ? text + fill : fill + text
}

function padNumber(prefix: string, digits: string, field: Field): string {
  const missing = Math.max(0, field.width - prefix.length - digits.length)
  if (field.left) return prefix + digits + ' '.repeat(missing)
  return field.zeros ? prefix + '0'.repeat(missing) + digits : ' '.repeat(missing) + prefix + digits
}

/** Hands out the values that fill a format: the items of a tuple, one value, or the values of a dict by name. */
class ValueSource {
  readonly #items: readonly Value[]
  readonly #dict: Dict | undefined
  readonly #mayBeUnused: boolean
  #index = 0
  #selected: Value | undefined

  constructor(values: Value) {
    this.#items = values instanceof Tuple ? values.items : [values]
    this.#dict = values instanceof Dict ? values : undefined
    this.#mayBeUnused = isList(values) || [Dict, Undefined, Range, Bytes].some((type) => values instanceof type)
  }

  select(key: string): void {
    if (this.#dict === undefined) raise('TypeError', 'format requires a mapping')
    const value = this.#dict.get(key)
    this.#selected = value === undefined ? raise('KeyError', 'a directive of the format has no value') : value
  }

  next(): Value {
    const selected = this.#selected
    if (selected !== undefined) {
      this.#selected = undefined
      return selected
    }
    const value = this.#items[this.#index++]
    return value === undefined ? raise('TypeError', 'not enough arguments for format string') : value
  }

  nextSize(): number {
    const value = this.next()
    return typeof value === 'number' ? value : raise('TypeError', '* wants int')
  }

  finish(): void {
    if (this.#index < this.#items.length && !this.#mayBeUnused) {
      raise('TypeError', 'not all arguments converted during string formatting')
    }
  }
}

/** Reads a format as text and directives in turn. */
class DirectiveReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  next(): string | Directive | undefined {
    if (this.#position >= this.#text.length) return undefined
    const percent = this.#text.indexOf('%', this.#position)
    if (percent === this.#position) return this.#readDirective()
    const end = percent < 0 ? this.#text.length : percent
    const literal = this.#text.slice(this.#position, end)
    this.#position = end
    return literal
  }

  #readDirective(): Directive {
    this.#position++
    const key = this.#readKey()
    let flags = ''
    while ('#0- +'.includes(this.#peek())) flags += this.#take()
    const width = this.#readSize()
    let precision: Directive['precision']
    if (this.#peek() === '.') {
      this.#position++
      precision = this.#readSize() ?? 0
    }
    while ('hlL'.includes(this.#peek())) this.#position++
    return { key, flags, width, precision, type: this.#take() }
  }

  #readKey(): string | undefined {
    if (this.#peek() !== '(') return undefined
    const start = ++this.#position
    for (let depth = 1; depth > 0; ) {
      if (this.#position >= this.#text.length) raise('ValueError', 'incomplete format key')
      const character = this.#take()
      if (character === '(') depth++
      if (character === ')') depth--
    }
    return this.#text.slice(start, this.#position - 1)
  }

  #readSize(): number | '*' | undefined {
    if (this.#peek() === '*') {
      this.#position++
      return '*'
    }
    const start = this.#position
    while (this.#peek() >= '0' && this.#peek() <= '9') this.#position++
    return start === this.#position ? undefined : Number(this.#text.slice(start, this.#position))
  }

  #peek(): string {
    return this.#text[this.#position] ?? raise('ValueError', 'incomplete format')
  }

  #take(): string {
    const character = this.#peek()
    this.#position++
    return character
  }
}
