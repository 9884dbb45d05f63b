import type * as z from 'zod'

/** Names of types in messages. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['tuple', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['map', 'an object'],
  ['null', 'null'],
  ['undefined', 'absent'],
  ['never', 'absent'],
])

/** Most values that a message lists; more of them would not help. */
const MAX_LISTED = 20

/**
 * Describes a fault of a value as the end of a sentence about its field: `must be a string, not a number`. The text of the
 * schema library never reaches a client, and neither does the value.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type':
      if (input === undefined && issue.expected !== 'undefined' && issue.expected !== 'never') return 'is required'
      return `must be ${describeType(String(issue.expected))}${describeFound(issue.expected, input)}`
    case 'invalid_value':
      return describeChoice(issue.values)
    case 'too_small':
      return describeBound(issue, 'at least', issue.minimum, issue.inclusive === false ? 'above' : 'at least')
    case 'too_big':
      return describeBound(issue, 'at most', issue.maximum, issue.inclusive === false ? 'below' : 'at most')
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return describeUnknown(issue.keys)
    case 'invalid_key':
      return 'has a key that is not allowed'
    case 'invalid_format':
      return 'has the wrong form'
    default:
      return 'is not valid'
  }
}

/** Names types as one phrase: `a string or an array`. */
export function describeTypes(types: readonly string[]): string {
  return [...new Set(types.map(describeType))].join(' or ')
}

function describeType(type: string): string {
  return TYPES.get(type) ?? 'of another type'
}

function describeFound(expected: unknown, input: unknown): string {
  // A fraction is a number too.
  if (expected === 'int' && typeof input === 'number') return ''
  if (input === null) return ', not null'
  if (Array.isArray(input)) return ', not an array'
  if (typeof input === 'number' && !Number.isFinite(input)) return ''
  const found = TYPES.get(typeof input)
  return found === undefined || input === undefined ? '' : `, not ${found}`
}

function describeChoice(values: readonly unknown[] = []): string {
  const listed = values.slice(0, MAX_LISTED).map((value) => JSON.stringify(value) ?? 'absent')
  if (values.length > MAX_LISTED) return 'is not one of the known values'
  return listed.length === 1 ? `must be ${listed[0]}` : `must be one of ${listed.join(', ')}`
}

/** Names the first unknown field. A name that is not a plain word may be anything, so it is not repeated. */
function describeUnknown([name]: readonly string[] = []): string {
  return name !== undefined && isPlainKey(name) ? `has the unknown field "${name}"` : 'has a field that is not known'
}

/** Whether the name of a field is a plain word, which messages may repeat. */
export function isPlainKey(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key)
}

/** Describes the bound of a number, a text, a list or a map. */
function describeBound(issue: z.core.$ZodRawIssue, ofSize: string, bound: unknown, ofNumber: string): string {
  const { origin } = issue
  if (origin === 'string') return `must have ${ofSize} ${bound} characters`
  if (origin === 'array' || origin === 'set') return `must have ${ofSize} ${bound} entries`
  if (origin === 'object' || origin === 'map') return `must have ${ofSize} ${bound} fields`
  return `must be ${ofNumber} ${bound}`
}
