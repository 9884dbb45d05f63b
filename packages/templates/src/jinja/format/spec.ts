import { TemplateFloat } from '../../number.ts'
import { raise } from '../errors.ts'
import { toFloat, toOperand } from '../numbers/arithmetic.ts'
import { isNegative, printFloat, printGeneral, printSpecial } from '../numbers/float-text.ts'
import type { Rendering } from '../rendering.ts'
import { countCodePoints, toCodePoints, toUnitOffset } from '../text/code-points.ts'
import { typeName } from '../values/type-name.ts'
import { isInteger, isText, toPlainText, type Value } from '../values/value.ts'
import { toBasePrefix, toFloatForm, toIntegerForm } from './number-form.ts'

/** A format specification such as `*>+8,.2f`. */
interface Spec {
  readonly fill: string
  readonly align: '' | '<' | '>' | '=' | '^'
  readonly sign: string
  /** Whether a float that is shown as zero loses its minus sign. */
  readonly plainZero: boolean
  readonly alternate: boolean
  readonly width: number
  readonly grouping: '' | ',' | '_'
  readonly precision: number | undefined
  readonly type: string
}

const ALIGNMENTS = ['<', '>', '=', '^'] as const

/** A value in the form that a specification asks for: Python's `format`. @throws ValueError, TypeError */
export function formatValue(run: Rendering, value: Value, specification: string): string | undefined {
  if (specification === '') return undefined
  const isNumber = toOperand(value) !== undefined
  if (!isNumber && !isText(value)) {
    raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`)
  }
  run.walk(specification.length)
  const spec = readSpec(specification, isNumber)
  run.reserve(spec.width + (spec.precision ?? 0))
  if (spec.grouping !== '') run.walk(spec.width)
  if (isText(value)) return formatText(toPlainText(value), spec)
  return formatNumber(run, value, spec)
}

function formatText(text: string, spec: Spec): string {
  const { type, precision, align } = spec
  if (type !== '' && type !== 's') raise('ValueError', `Unknown format code '${type}' for object of type 'str'`)
  if (spec.sign !== '') raise('ValueError', 'Sign not allowed in string format specifier')
  if (spec.plainZero) raise('ValueError', 'Negative zero coercion (z) not allowed in string format specifier')
  if (spec.alternate) raise('ValueError', 'Alternate form (#) not allowed in string format specifier')
  if (spec.grouping !== '') raise('ValueError', `Cannot specify '${spec.grouping}' with 's'.`)
  if (align === '=') raise('ValueError', "'=' alignment not allowed in string format specifier")
  const shown = precision === undefined ? text : text.slice(0, toUnitOffset(text, precision))
  return pad(shown, { ...spec, align: align === '' ? '<' : align })
}

function formatNumber(run: Rendering, value: Value, spec: Spec): string {
  const { type } = spec
  const operand = toOperand(value) ?? 0
  if (type === 'n' && spec.grouping !== '') raise('ValueError', `Cannot specify '${spec.grouping}' with 'n'.`)
  switch (type) {
    case '':
      return operand instanceof TemplateFloat
        ? formatPlainFloat(run, operand.value, spec)
        : formatInteger(run, operand, spec)
    case 'b':
    case 'c':
    case 'd':
    case 'n':
    case 'o':
    case 'x':
    case 'X':
      if (operand instanceof TemplateFloat) {
        if (type === 'n') return formatPlainFloat(run, operand.value, { ...spec, precision: spec.precision ?? 6 })
        return raise('ValueError', `Unknown format code '${type}' for object of type 'float'`)
      }
      return formatInteger(run, operand, spec)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      const form = { type, precision: spec.precision ?? 6, alternate: spec.alternate }
      const { negative, digits } = toFloatForm(run, toFloat(operand), form)
      return layOut({ prefix: toFloatSign(negative, digits, spec), digits }, spec)
    }
    case '%': {
      const form = { type: 'f' as const, precision: spec.precision ?? 6, alternate: spec.alternate }
      const { negative, digits } = toFloatForm(run, toFloat(operand) * 100, form)
      return layOut({ prefix: toFloatSign(negative, digits, spec), digits: `${digits}%` }, spec)
    }
    default:
      return raise('ValueError', `Unknown format code '${type}' for object of type '${typeName(value)}'`)
  }
}

function formatInteger(run: Rendering, value: Value, spec: Spec): string {
  const { type } = spec
  if (!isInteger(value)) return raise('TypeError', 'an integer is required')
  if (spec.plainZero) raise('ValueError', 'Negative zero coercion (z) not allowed in format specifier with integer')
  if (spec.precision !== undefined) raise('ValueError', 'Precision not allowed in integer format specifier')
  if (type === 'c') {
    if (spec.sign !== '') raise('ValueError', "Sign not allowed with integer format specifier 'c'")
    if (spec.alternate) raise('ValueError', "Alternate form (#) not allowed with integer format specifier 'c'")
    if (value < 0 || value > 0x10ffff) raise('OverflowError', '%c arg not in range(0x110000)')
    return pad(String.fromCodePoint(Number(value)), { ...spec, align: spec.align === '' ? '<' : spec.align })
  }
  if (spec.grouping === ',' && 'boxXc'.includes(type) && type !== '') {
    raise('ValueError', `Cannot specify ',' with '${type}'.`)
  }
  const { negative, digits } = toIntegerForm(run, value, type)
  const prefix = toSign(negative, spec) + (spec.alternate ? toBasePrefix(type) : '')
  return layOut({ prefix, digits: type === 'X' ? digits.toUpperCase() : digits }, spec)
}

/** Without a type, a float keeps its point; with a precision it is shown in the shorter of two ways. */
function formatPlainFloat(run: Rendering, value: number, spec: Spec): string {
  const digits = toPlainDigits(run, Math.abs(value), spec)
  return layOut({ prefix: toFloatSign(isNegative(value), digits, spec), digits }, spec)
}

function toPlainDigits(run: Rendering, size: number, { precision, alternate, type }: Spec): string {
  if (!Number.isFinite(size)) return printSpecial(size)
  if (precision === undefined) {
    const digits = printFloat(size)
    return alternate && !digits.includes('.') ? digits.replace('e', '.e') : digits
  }
  run.reserve(precision + 330)
  return printGeneral(size, { digits: Math.max(1, precision), keepZeros: alternate, asFloat: type === '' })
}

function toFloatSign(negative: boolean, digits: string, spec: Spec): string {
  if (!spec.plainZero) return toSign(negative, spec)
  const mantissa = digits.split(/[eE]/)[0] ?? ''
  return toSign(negative && Array.from(mantissa).some((digit) => digit > '0'), spec)
}

function toSign(negative: boolean, { sign }: Spec): string {
  if (negative) return '-'
  return sign === '-' ? '' : sign
}

/** Puts sign, digits, group separators and padding together. */
function layOut({ prefix, digits }: { readonly prefix: string; readonly digits: string }, spec: Spec): string {
  if (spec.grouping === '') return padNumber(prefix, digits, spec)
  const size = spec.type !== '' && 'boxX'.includes(spec.type) ? 4 : 3
  let end = 0
  while (end < digits.length && isDigitIn(digits[end] ?? '', spec.type)) end++
  const rest = digits.slice(end)
  // Zeros that fill the width are grouped, too.
  const zeros = spec.fill === '0' && spec.align === '=' ? spec.width - prefix.length - rest.length : 0
  return padNumber(prefix, group(digits.slice(0, end), { size, separator: spec.grouping, width: zeros }) + rest, spec)
}

function group(
  digits: string,
  { size, separator, width }: { readonly size: number; readonly separator: string; readonly width: number },
): string {
  let count = Math.max(1, digits.length)
  // A separator never comes first, so the result may be one longer than wanted.
  while (count + Math.floor((count - 1) / size) < width) count++
  const padded = digits.padStart(count, '0')
  const parts: string[] = []
  for (let end = padded.length; end > 0; end -= size) parts.push(padded.slice(Math.max(0, end - size), end))
  return parts.reverse().join(separator)
}

function isDigitIn(character: string, type: string): boolean {
  if (character >= '0' && character <= '9') return true
  return (
    (type === 'x' && character >= 'a' && character <= 'f') || (type === 'X' && character >= 'A' && character <= 'F')
  )
}

function padNumber(prefix: string, digits: string, spec: Spec): string {
  if (spec.align === '=')
    return prefix + spec.fill.repeat(Math.max(0, spec.width - prefix.length - digits.length)) + digits
  return pad(prefix + digits, { ...spec, align: spec.align === '' ? '>' : spec.align })
}

function pad(text: string, { fill, align, width }: Spec): string {
  const missing = Math.max(0, width - countCodePoints(text))
  const before = align === '<' ? 0 : align === '^' ? Math.floor(missing / 2) : missing
  return fill.repeat(before) + text + fill.repeat(missing - before)
}

function readSpec(specification: string, isNumber: boolean): Spec {
  const characters = toCodePoints(specification)
  let index = 0
  const takeIf = (wanted: string): string => {
    const character = characters[index]
    if (character === undefined || !wanted.includes(character)) return ''
    index++
    return character
  }
  let fill = ' '
  let align: Spec['align'] = ''
  const second = ALIGNMENTS.find((item) => item === characters[1])
  const first = ALIGNMENTS.find((item) => item === characters[0])
  if (second !== undefined) {
    fill = characters[0] ?? ' '
    align = second
    index = 2
  } else if (first !== undefined) {
    align = first
    index = 1
  }
  const sign = takeIf('+- ')
  const plainZero = takeIf('z') !== ''
  const alternate = takeIf('#') !== ''
  if (characters[index] === '0' && second === undefined) {
    fill = '0'
    // Text is padded after it, numbers after the sign.
    if (align === '' && isNumber) align = '='
  }
  const width = readSize(characters, index)
  index = width.end
  const grouping = takeIf(',_')
  let precision: number | undefined
  if (takeIf('.') !== '') {
    const size = readSize(characters, index)
    if (size.end === index) raise('ValueError', 'Format specifier missing precision')
    precision = size.value
    index = size.end
  }
  const type = characters[index] ?? ''
  if (characters.length > index + 1) raise('ValueError', 'Invalid format specifier')
  return {
    fill,
    align,
    sign,
    plainZero,
    alternate,
    width: width.value,
    grouping: grouping as Spec['grouping'],
    precision,
    type,
  }
}

function readSize(characters: readonly string[], start: number): { readonly value: number; readonly end: number } {
  let end = start
  while ((characters[end] ?? '') >= '0' && (characters[end] ?? '') <= '9') end++
  return { value: Number(characters.slice(start, end).join('') || '0'), end }
}
