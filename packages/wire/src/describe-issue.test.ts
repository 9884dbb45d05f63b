import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as messages from './messages/index.ts'
import * as native from './native/index.ts'
import * as ollama from './ollama/index.ts'
import * as openai from './openai/index.ts'
import { parseBody } from './parse-body.ts'
import * as responses from './responses/index.ts'

const readMessage = (schema: z.ZodType, value: unknown): string => {
  try {
    parseBody(schema, value)
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return 'ok'
}

describe('the text of a fault', () => {
  it.each([
    ['a missing field', z.string(), undefined, 'is required'],
    ['null', z.string(), null, 'must be a string, not null'],
    ['a number for a text', z.string(), 5, 'must be a string, not a number'],
    ['a text for a switch', z.boolean(), 'yes', 'must be true or false, not a string'],
    ['a map for a list', z.array(z.string()), {}, 'must be an array, not an object'],
    ['a list for a map', z.record(z.string(), z.string()), [], 'must be an object, not an array'],
    ['a fraction', z.int(), 1.5, 'must be a whole number'],
    ['a text for a count', z.int(), '1', 'must be a number, not a string'],
    ['an unknown word', z.enum(['low', 'high']), 'mid', 'must be one of "low", "high"'],
    ['the wrong constant', z.literal('function'), 'x', 'must be "function"'],
    ['too small', z.number().min(0), -1, 'must be at least 0'],
    ['not above', z.number().gt(0), 0, 'must be above 0'],
    ['too large', z.number().max(2), 3, 'must be at most 2'],
    ['too long', z.string().max(2), 'long', 'must have at most 2 characters'],
    ['too short', z.string().min(1), '', 'must have at least 1 characters'],
    ['too many', z.array(z.int()).max(1), [1, 2], 'must have at most 1 entries'],
    ['not a multiple', z.number().multipleOf(8), 9, 'must be a multiple of 8'],
    ['another form', z.string().regex(/^x$/), 'y', 'has the wrong form'],
    ['a foreign field', z.strictObject({}), { secret: 1 }, 'has the unknown field "secret"'],
    ['a foreign field without a plain name', z.strictObject({}), { 'sk-1 x': 1 }, 'has a field that is not known'],
    ['a foreign key', z.record(z.string().regex(/^x$/), z.int()), { secret: 1 }, 'has a key that is not allowed'],
    ['a refused value', z.string().refine(() => false), 'x', 'is not valid'],
    ['two types', z.union([z.string(), z.array(z.string())]), 5, 'must be a string or an array'],
  ])('%s', (_, schema, value, text) => {
    const inner = readMessage(z.object({ field: schema }), { field: value })
    expect(inner.replace(/^field\S*: /, '')).toBe(text)
  })
})

/** Wrong bodies: each field of a body takes each of them in turn. */
const WRONG = [
  undefined,
  null,
  5,
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  true,
  [],
  [5],
  [null],
  [{}],
  {},
  { x: 5 },
  [[]],
  { type: 5 },
]
const OWN = /^(?:\S+: |the body )?(?:is required|is not valid|must (?:be|have) .+|has (?:a|the) .+)$/

describe('the refusal of a wrong body', () => {
  const exported = Object.entries({ ...native, ...messages, ...ollama, ...openai, ...responses })
  const schemas = exported.flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []))
  it.each(schemas)('is our own text for every field of %s', (_, schema) => {
    for (const body of WRONG) expectOwn(readMessage(schema, body))
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
    for (const field of fields) for (const value of WRONG) expectOwn(readMessage(schema, { [field]: value }))
  })
})

function expectOwn(message: string): void {
  if (message === 'ok') return
  expect(message).toMatch(OWN)
  expect(message).not.toMatch(/Invalid|received|expected/)
}
