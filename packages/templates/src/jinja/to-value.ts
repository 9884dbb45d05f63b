import { SvcError } from '@svc/errors'
import { TemplateFloat } from '../number.ts'
import type { Rendering } from './rendering.ts'
import { Dict } from './values/dict.ts'
import type { Value } from './values/value.ts'

/** Whole numbers from here on are printed with an exponent, so no program wrote them as integers. */
const MAX_INTEGER = 1e21

/**
 * Converts data to a template value. Accepts null, booleans, texts, numbers, bigints, {@link TemplateFloat}, arrays,
 * maps with texts as keys, and plain objects; `undefined` is left out of objects and is `none` elsewhere.
 *
 * @throws SvcError `template_input` for anything else, JinjaLimitError for data that is too deep or too much
 */
export function toValue(run: Rendering, input: unknown): Value {
  run.spend()
  switch (typeof input) {
    case 'string':
    case 'boolean':
      return input
    case 'number':
      return toNumber(input)
    case 'bigint':
      return Number.isSafeInteger(Number(input)) ? Number(input) : input
    case 'undefined':
      return null
    case 'object':
      return input === null ? null : toContainer(run, input)
    default:
      return fail(typeof input)
  }
}

function toNumber(input: number): Value {
  if (Number.isSafeInteger(input)) return Object.is(input, -0) ? new TemplateFloat(-0) : input
  return Number.isInteger(input) && Math.abs(input) < MAX_INTEGER ? BigInt(input) : new TemplateFloat(input)
}

function toContainer(run: Rendering, input: object): Value {
  if (input instanceof TemplateFloat) return input
  run.enter()
  const value = Array.isArray(input) ? input.map((item) => toValue(run, item)) : toDict(run, input)
  run.leave()
  return value
}

function toDict(run: Rendering, input: object): Dict {
  const dict = new Dict()
  for (const [key, item] of toEntries(input)) {
    if (item !== undefined) dict.set(typeof key === 'string' ? key : fail('a key that is not text'), toValue(run, item))
  }
  return dict
}

function toEntries(input: object): Iterable<[unknown, unknown]> {
  if (input instanceof Map) return input.entries()
  const prototype: unknown = Object.getPrototypeOf(input)
  if (prototype === null || prototype === Object.prototype) return Object.entries(input)
  return fail('an object of a class')
}

function fail(what: string): never {
  throw new SvcError('invalid_request', `template data cannot hold ${what}`, { code: 'template_input' })
}
