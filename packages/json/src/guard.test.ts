import { describe, expect, it } from 'vitest'
import { JsonError } from './errors.ts'
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_NODES, type JsonLimits, MAX_JSON_BYTES, resolveLimits } from './guard.ts'
import { parseJson } from './parse.ts'

function refusal(text: string, limits?: JsonLimits): JsonError | undefined {
  try {
    parseJson(new TextEncoder().encode(text), limits)
    return undefined
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('resolveLimits', () => {
  it('fills in defaults for missing limits', () => {
    expect(resolveLimits()).toEqual({ maxDepth: DEFAULT_MAX_DEPTH, maxNodes: DEFAULT_MAX_NODES })
    expect(resolveLimits({ maxDepth: 3, maxNodes: undefined })).toEqual({ maxDepth: 3, maxNodes: DEFAULT_MAX_NODES })
  })
})

describe('depth', () => {
  it('IN-2: passes at 128 and is refused at 129, naming the limit', () => {
    expect(refusal(nested(128))).toBeUndefined()
    expect(refusal(nested(129))).toMatchObject({
      name: 'JsonError',
      kind: 'invalid_request',
      code: 'json_limit',
      message: 'JSON at byte 128 has nesting deeper than 128 levels (maxDepth)',
      details: { offset: 128, limit: 'maxDepth' },
    })
  })

  it('counts objects as arrays, and siblings once', () => {
    expect(refusal('{"a":[{"b":1}]}', { maxDepth: 3 })).toBeUndefined()
    expect(refusal('{"a":[{"b":1}]}', { maxDepth: 2 })?.details?.offset).toBe(6)
    expect(refusal(`[${'[],{},'.repeat(500)}1]`, { maxDepth: 2 })).toBeUndefined()
    expect(refusal('1', { maxDepth: 0 })).toBeUndefined()
    expect(refusal('[]', { maxDepth: 0 })?.code).toBe('json_limit')
  })

  it('is refused at the limit for any content', () => {
    expect(refusal('['.repeat(1_000_000))?.details?.offset).toBe(128)
    expect(refusal('{"a":'.repeat(100_000))?.details?.offset).toBe(640)
  })
})

describe('nodes', () => {
  it('counts objects, arrays and keys, nothing else', () => {
    const text = '{"a":[1,"x",null],"b":{}}'
    expect(refusal(text, { maxNodes: 5 })).toBeUndefined()
    expect(refusal(text, { maxNodes: 4 })).toMatchObject({
      code: 'json_limit',
      message: 'JSON at byte 22 has more than 4 objects, arrays and keys (maxNodes)',
      details: { offset: 22, limit: 'maxNodes' },
    })
    expect(refusal('"x"', { maxNodes: 0 })).toBeUndefined()
  })

  it('IN-3: passes at a million and is refused past it', () => {
    expect(refusal(`[${'{},'.repeat(999_998)}{}]`)).toBeUndefined()
    expect(refusal(`[${'{},'.repeat(999_999)}{}]`)).toMatchObject({ details: { limit: 'maxNodes', offset: 2_999_998 } })
  })

  it('does not limit plain values', () => {
    expect(refusal(`[${'1,'.repeat(1_200_000)}1]`, { maxNodes: 1 })).toBeUndefined()
  })
})

describe('size', () => {
  it('is limited to the largest possible offset', () => {
    const bytes = new Uint8Array(MAX_JSON_BYTES + 1)
    expect(() => parseJson(bytes)).toThrow(
      expect.objectContaining({ code: 'json_limit', details: { offset: MAX_JSON_BYTES, limit: 'MAX_JSON_BYTES' } }),
    )
  })
})
