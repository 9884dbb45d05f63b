import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUsage } from './usage-of-body.ts'

describe('usageOfBody', () => {
  it.each<[string, unknown]>([
    ['{"usage":{"prompt_tokens":1}}', { prompt_tokens: 1 }],
    ['{"a":[{"b":"}"}],"usage" : {"a":{"b":"}]"}},"z":["{"]}', { a: { b: '}]' } }],
    ['{"content":"\\"usage\\":{\\"a\\":1}"}', undefined],
    ['{"x":{"usage":{"a":1}}}', undefined],
    ['{"usage":{"a":1},"x":{"usage":{"a":2}}}', { a: 1 }],
    ['{"usage":null}', undefined],
    ['{"x":"usage"}', undefined],
    ['{"x":["usage",{}]}', undefined],
    ['[{"usage":{"a":1}}]', undefined],
    ['{"usage":{"a":1}', undefined],
    ['{"usage":{"a":', undefined],
    ['{"x":"\\\\","usage":{"a":1}}', { a: 1 }],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(findUsage(text)).toEqual(expected)
  })

  it('finds the figures that JSON.parse finds, also in the end of a body alone', () => {
    const object = fc.dictionary(fc.constantFrom('usage', 'a', 'b"', 'c\\'), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 5,
    })
    fc.assert(
      fc.property(object, fc.boolean(), fc.nat(30), (value, isSpaced, cut) => {
        const text = Buffer.from(JSON.stringify(value, undefined, isSpaced ? 2 : 0)).toString('latin1')
        const usage: unknown = JSON.parse(JSON.stringify(value)).usage
        const isObject = typeof usage === 'object' && usage !== null && !Array.isArray(usage)
        const expected = isObject ? JSON.parse(Buffer.from(JSON.stringify(usage)).toString('latin1')) : undefined
        expect(findUsage(text)).toEqual(expected)
        const start = text.lastIndexOf('"usage"') - cut
        if (isObject && start > 0 && text.lastIndexOf('"usage"') === text.indexOf('"usage"')) {
          expect(findUsage(text.slice(start))).toEqual(expected)
        }
      }),
      { numRuns: 500 },
    )
  })
})
