import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyStep } from './__fixtures__/every-step.ts'
import { parseJson } from './parse.ts'
import type { JsonValue } from './to-value.ts'
import { toValueCooperatively } from './tree.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const parseValue = (text: string): JsonValue => parseJson(encode(text)).root.toValue()

const DROPPED = new Set(['__proto__', 'constructor', 'prototype'])

function nativeValue(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (DROPPED.has(key) ? undefined : value))
}

describe('toValue', () => {
  it('equals the value of JSON.parse, key order included', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value = parseValue(text)
        expect(value).toStrictEqual(nativeValue(text))
        expect(JSON.stringify(value)).toBe(JSON.stringify(nativeValue(text)))
      }),
      { numRuns: 2000 },
    )
  })

  it('treats duplicate, integer-like and escaped keys as JSON.parse does', () => {
    const key = fc.constantFrom('a', 'b', '\\u0061', '1', '0', '-1', 'é', '\\u00e9', '', 'toString', '\\ud800')
    const members = fc.array(fc.tuple(key, fc.integer()), { maxLength: 12 })
    fc.assert(
      fc.property(members, (list) => {
        const text = `{${list.map(([name, value]) => `"${name}":${value}`).join(',')}}`
        expect(JSON.stringify(parseValue(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('does not mistake one key for another that was read lately', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `k${index * 7919}x`)
    const text = `[${names.map((name) => `{"${name}":"${name}","role":1}`).join(',')}]`
    expect(parseValue(text)).toStrictEqual(JSON.parse(text))
  })

  it('keeps negative zero, infinities and lone surrogates', () => {
    expect(parseValue('[-0,1e400,"\\udc00"]')).toStrictEqual([-0, Number.POSITIVE_INFINITY, '\udc00'])
  })

  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'con\\u0073tructor'])(
    'IN-8: leaves out a member named %s with all that is in it',
    (name) => {
      const value = parseValue(`{"a":1,"${name}":{"x":[1,{"y":2}]},"b":{"${name}":3,"c":4}}`)
      expect(value).toStrictEqual({ a: 1, b: { c: 4 } })
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    },
  )

  it('IN-8: leaves prototypes alone over hostile documents', () => {
    const name = fc.constantFrom('__proto__', 'constructor', 'prototype', 'x', 'toString', '__defineGetter__')
    const { hostile } = fc.letrec((tie) => ({
      hostile: fc.oneof({ depthSize: 'small' }, fc.constant('1'), tie('object')),
      object: fc
        .array(fc.tuple(name, tie('hostile')), { maxLength: 4 })
        .map((list) => `{${list.map(([key, value]) => `"${key}":${String(value)}`).join(',')}}`),
    }))
    fc.assert(
      fc.property(hostile, (text) => {
        Object.assign({}, parseValue(String(text)))
        expect(Reflect.get({}, 'x')).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('is the value of a subtree alone', () => {
    const { root } = parseJson(encode('{"a":[1,{"b":2}],"c":"d"}'))
    expect(root.get('a')?.toValue()).toStrictEqual([1, { b: 2 }])
    expect(root.get('c')?.toValue()).toBe('d')
    expect(Array.from(root.entries(), ({ key }) => key.toValue())).toEqual(['a', 'c'])
  })
})

describe('toValueCooperatively', () => {
  const text = JSON.stringify(Array.from({ length: 5000 }, (_, index) => ({ index, constructor: [index] })))
  const { root } = parseJson(encode(text))

  it('gives the value that toValue gives', async () => {
    const { options, yields } = everyStep()
    expect(await toValueCooperatively(root, options)).toStrictEqual(root.toValue())
    expect(yields()).toBeGreaterThan(5)
  })

  it('throws the reason of the signal', async () => {
    const reason = new Error('client gone')
    const controller = new AbortController()
    const { options, yields } = everyStep((count) => {
      if (count === 2) controller.abort(reason)
    })
    await expect(toValueCooperatively(root, { ...options, signal: controller.signal })).rejects.toBe(reason)
    expect(yields()).toBe(2)
  })
})
