import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseBody } from './parse-body.ts'

const message = (schema: z.ZodType, value: unknown): string => {
  try {
    parseBody(schema, value)
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return 'ok'
}

describe('parseBody', () => {
  const choice = z.object({ stop: z.union([z.string(), z.array(z.string())]).nullish() })

  it('returns the typed value', () => {
    expect(parseBody(choice, { stop: ['a'] })).toEqual({ stop: ['a'] })
  })

  it('is an invalid_request with a code of its own', () => {
    expect(() => parseBody(choice, 7)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', code: 'invalid_body', details: { param: undefined } }),
    )
  })

  it('names the types that a union accepts', () => {
    expect(message(choice, { stop: 5 })).toBe('stop: must be a string or an array')
  })

  it('reports the branch of a union that got furthest', () => {
    expect(message(choice, { stop: ['a', 5] })).toBe('stop[1]: must be a string, not a number')
  })

  it('descends through unions in unions', () => {
    const nested = z.object({ a: z.union([z.string(), z.object({ b: z.union([z.int(), z.array(z.int())]) })]) })
    expect(message(nested, { a: { b: [1, 'x'] } })).toBe('a.b[1]: must be a number, not a string')
  })

  it('is the plain sentence for a fault of the body itself', () => {
    expect(message(z.object({}), [])).toBe('the body must be an object, not an array')
  })
})
