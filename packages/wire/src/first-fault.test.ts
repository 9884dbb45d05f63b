import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { endAtFirstFault } from './first-fault.ts'
import * as messages from './messages/index.ts'
import * as native from './native/index.ts'
import * as ollama from './ollama/index.ts'
import * as openai from './openai/index.ts'
import { parseBody } from './parse-body.ts'
import * as responses from './responses/index.ts'

const MANY = 5_000
const schema = z.looseObject({
  list: endAtFirstFault(z.array(z.looseObject({ name: z.string() }))).nullish(),
  map: endAtFirstFault(z.record(z.string().regex(/^\d+$/), z.number().max(9))).nullish(),
})
const findIssues = (value: unknown): readonly z.core.$ZodIssue[] => schema.safeParse(value).error?.issues ?? []
const list = Array.from({ length: MANY }, (_, at) => ({ name: `n${at}` }))
const map = Object.fromEntries(list.map((_, at) => [String(at), 5]))

describe('the check of a list or a map', () => {
  it('ends at the first entry that is wrong, and names it', () => {
    const wrong = list.map((one, at) => (at < 4_000 ? one : { name: at }))
    expect(findIssues({ list: wrong })).toMatchObject([{ code: 'invalid_type', path: ['list', 4_000, 'name'] }])
    expect(() => parseBody(schema, { list: wrong })).toThrow(/^list\[4000\]\.name: must be a string, not a number/)
    const values = Object.fromEntries(Object.keys(map).map((name) => [name, 10]))
    expect(findIssues({ map: values })).toMatchObject([{ code: 'too_big', path: ['map', '0'] }])
    const names = Object.fromEntries(Object.keys(map).map((name) => [`k${name}`, 5]))
    expect(findIssues({ map: names })).toMatchObject([{ code: 'invalid_key', path: ['map', 'k0'] }])
  })

  it('says the same of few entries as the schema alone', () => {
    for (const body of [
      { list: [{ name: 1 }] },
      { map: { a: 1 } },
      { map: { 1: 'x' } },
      { list: {} },
      { map: [] },
      { list: 'x', map: 5 },
    ]) {
      const plain = z.looseObject({ list: schema.shape.list, map: schema.shape.map }).safeParse(body)
      expect(findIssues(body)).toEqual(plain.error?.issues)
      expect(findIssues(body).length).toBeGreaterThan(0)
    }
  })

  it("accepts a correct body and returns the schema's value", () => {
    expect(schema.parse({ list, map, list2: 1 })).toEqual({ list, map, list2: 1 })
    expect(schema.parse({ list: null })).toEqual({ list: null })
    expect(schema.parse({})).toEqual({})
  })
})

/** Paths of the lists and maps whose check goes on after a fault. */
function openContainers(schema: z.core.$ZodType, path: string, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const inside = (inner: z.core.$ZodType, name: string): string[] => openContainers(inner, `${path}${name}`, seen)
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) {
    const { out } = schema
    if (out instanceof z.ZodArray) return inside(out.element, '[]')
    if (out instanceof z.ZodRecord) return inside(out.valueType, '{}')
  }
  if (schema instanceof z.ZodArray || schema instanceof z.ZodRecord) return [path]
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) => inside(member as z.core.$ZodType, `.${name}`))
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => inside(option, ''))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return inside(schema.unwrap(), '')
  }
  if (schema instanceof z.ZodLazy) return inside(schema.unwrap(), '')
  return []
}

const requests = Object.entries<unknown>({ ...messages, ...native, ...ollama, ...openai, ...responses }).flatMap(
  ([name, value]): [string, z.ZodType][] =>
    value instanceof z.ZodType && name.endsWith('Request') ? [[name, value]] : [],
)

it.each(requests)('%s has no list or map that is checked on after a fault', (name, request) => {
  expect(openContainers(request, name)).toEqual([])
})

it('the formats have requests here', () => {
  expect(requests.length).toBeGreaterThan(12)
})
