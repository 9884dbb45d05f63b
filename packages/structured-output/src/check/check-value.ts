import { findFormat } from '../patterns/formats.ts'
import { isEqual } from '../schema/json.ts'
import { type Kind, readCount, readKeyword, readKinds, readNumber, readText } from '../schema/keywords.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import type { Evaluator, Verdict } from './verdict.ts'

/** Checks a value against `type`, `const` and `enum`. */
export function checkValue(
  place: SchemaPlace,
  value: unknown,
  { verdict, evaluation }: { readonly verdict: Verdict; readonly evaluation: Evaluator },
): void {
  const kinds = readKinds(place)
  if (kinds !== undefined && !kinds.has(findKind(value))) verdict.fail(`must be ${describeKinds(kinds)}`)
  const constant = readKeyword(place, 'const')
  if (constant !== undefined && !isEqual(constant, value)) verdict.fail('must be the value of `const`')
  const values = readKeyword(place, 'enum')
  if (Array.isArray(values) && !evaluation.isListed(values, value)) verdict.fail('must be one of `enum`')
}

function findKind(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'string' : 'object'
}

function describeKinds(kinds: ReadonlySet<Kind>): string {
  const names = [...kinds]
    .filter((kind) => kind !== 'integer' || !kinds.has('fraction'))
    .map((kind) => (kind === 'fraction' ? 'number' : kind))
  return names.join(' or ')
}

/** Checks a number against its bounds. */
export function checkNumber(place: SchemaPlace, value: number, verdict: Verdict): void {
  const { min, max } = readBounds(place)
  if (min !== undefined && (min.isOpen ? value <= min.value : value < min.value)) {
    verdict.fail(`must be ${min.isOpen ? 'more than' : 'at least'} ${min.value}`)
  }
  if (max !== undefined && (max.isOpen ? value >= max.value : value > max.value)) {
    verdict.fail(`must be ${max.isOpen ? 'less than' : 'at most'} ${max.value}`)
  }
  const step = readNumber(place, 'multipleOf')
  if (step !== undefined && step > 0 && !isMultiple(value, step)) verdict.fail(`must be a multiple of ${step}`)
}

/** A bound of a number, and whether it is exclusive. */
export interface NumberBound {
  readonly value: number
  readonly isOpen: boolean
}

/** Reads the bounds of a place, including the older form with `exclusiveMinimum: true`. */
export function readBounds(place: SchemaPlace): { readonly min?: NumberBound; readonly max?: NumberBound } {
  const min = chooseBound(place, { closed: 'minimum', open: 'exclusiveMinimum', pick: Math.max })
  const max = chooseBound(place, { closed: 'maximum', open: 'exclusiveMaximum', pick: Math.min })
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

function chooseBound(
  place: SchemaPlace,
  names: { readonly closed: string; readonly open: string; readonly pick: (a: number, b: number) => number },
): NumberBound | undefined {
  const closed = readNumber(place, names.closed)
  const flag = readKeyword(place, names.open)
  if (typeof flag === 'boolean') return closed === undefined ? undefined : { value: closed, isOpen: flag }
  const open = readNumber(place, names.open)
  if (open === undefined) return closed === undefined ? undefined : { value: closed, isOpen: false }
  if (closed === undefined || names.pick(closed, open) === open) return { value: open, isOpen: true }
  return { value: closed, isOpen: false }
}

/** Largest rounding error of a quotient that counts as a whole number. */
const MAX_ROUNDING = 1e-3

/** A decimal step is seldom exact in binary: a value within rounding of a multiple counts as one. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
  const quotient = value / step
  if (!Number.isFinite(quotient)) return false
  return Math.abs(quotient - Math.round(quotient)) <= Math.min(MAX_ROUNDING, Math.abs(quotient) * 2 ** -50)
}

/** Checks a text against its length, `pattern` and `format`. */
export function checkText(
  place: SchemaPlace,
  value: string,
  { verdict, evaluation }: { readonly verdict: Verdict; readonly evaluation: Evaluator },
): void {
  const [min, max] = [readCount(place, 'minLength'), readCount(place, 'maxLength')]
  if (min !== undefined || max !== undefined) {
    const length = [...value].length
    if (min !== undefined && length < min) verdict.fail(`must have at least ${min} characters`)
    if (max !== undefined && length > max) verdict.fail(`must have at most ${max} characters`)
  }
  const pattern = readText(place, 'pattern')
  if (pattern !== undefined && !evaluation.matches(pattern, value)) verdict.fail('must match `pattern`')
  const format = readText(place, 'format')
  if (format !== undefined && findFormat(format)?.accepts(value) === false) {
    verdict.fail(`must be of the format ${format}`)
  }
}
