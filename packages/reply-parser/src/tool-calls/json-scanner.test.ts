import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonRoot, JsonScanner, type JsonStatus } from './json-scanner.ts'
import { MAX_JSON_DEPTH } from './limits.ts'

function scan(pieces: readonly string[], root?: JsonRoot): { status: JsonStatus; length: number } {
  const scanner = new JsonScanner(root)
  let length = 0
  for (const piece of pieces) {
    const end = scanner.scan(piece, 0, piece.length)
    length += end
    if (end < piece.length) break
  }
  return { status: scanner.status, length }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('JsonScanner', () => {
  it('takes all JSON, up to its end, however it is cut', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom('{', ']', 'x', ' y', '"'), (json, after) => {
        const text = `[${json}]`
        expect(scan([text + after])).toEqual({ status: 'done', length: text.length })
        expect(scan((text + after).split(''))).toEqual({ status: 'done', length: text.length })
      }),
    )
  })

  it('accepts exactly the JSON that JSON.parse accepts', () => {
    const parts = '{}[]:,"\\/\t 012.eE+-abfnrtu'.split('').concat('true', 'null', '"a"', '1e5', '\\u00e9', '{"a":')
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((found) => found.join(''))
    fc.assert(
      fc.property(text, (json) => {
        const scanner = new JsonScanner()
        const end = scanner.scan(json, 0, json.length)
        if (end === json.length) scanner.finish()
        expect(scanner.status === 'done' && json.slice(end).trim() === '').toBe(isJson(json))
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['{"a":1,}', 7],
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['{"a":True}', 5],
    ['{"a":1 // why', 7],
    ['{"a":nul]', 8],
    ['{"a":01}', 6],
    ['{"a":1.}', 7],
    ['{"a":-}', 6],
    ['["\\x"]', 3],
    ['["\\u00g0"]', 6],
    ['{"a":"b\tc"}', 7],
    ['{x}', 1],
    ['[1}', 2],
    ['{]', 1],
    ['x', 0],
  ])('fails in %s at %i', (text, offset) => {
    expect(scan([text])).toEqual({ status: 'failed', length: offset })
  })

  it('lets line breaks pass in values, not in keys', () => {
    const scanner = new JsonScanner()
    const text = '{"a":"b\r\nc"}'
    expect(scanner.scan(text, 0, text.length)).toBe(text.length)
    expect([scanner.status, scanner.hasRawLineBreak]).toEqual(['done', true])
    expect(scan(['{"a\n":1}'])).toEqual({ status: 'failed', length: 3 })
  })

  it('is open while a value goes on', () => {
    for (const text of ['', ' ', '{', '{"a', '{"a":', '{"a":1', '[1,', '[tr', '["\\', '["\\u12', '12']) {
      expect(scan([text])).toEqual({ status: 'open', length: text.length })
    }
  })

  it('goes no deeper than it may', () => {
    expect(scan(['['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH)]).status).toBe('done')
    expect(scan(['['.repeat(MAX_JSON_DEPTH + 1)])).toEqual({ status: 'failed', length: MAX_JSON_DEPTH })
  })

  it('takes only arrays of objects where calls are looked for', () => {
    expect(scan(['[{"a":[1]},\n{}]'], 'calls')).toEqual({ status: 'done', length: 15 })
    expect(scan(['{"a":1,"b":["c"]}'], 'calls')).toEqual({ status: 'done', length: 17 })
    expect(scan(['[1, 2]'], 'calls')).toEqual({ status: 'failed', length: 1 })
    expect(scan(['[{}, "x"]'], 'calls')).toEqual({ status: 'failed', length: 5 })
  })
})
