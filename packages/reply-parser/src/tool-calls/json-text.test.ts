import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCallJson, toJsonObjectText, toJsonText } from './json-text.ts'

describe('toJsonText', () => {
  it('leaves JSON as it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', ' ', '\n'), (json, gap) => {
        expect(toJsonText(gap + json + gap)).toBe(gap + json + gap)
      }),
    )
  })

  it('escapes the line breaks inside strings alone', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '"', '\\') }))
    fc.assert(
      fc.property(texts, (values) => {
        const json = JSON.stringify(values, null, 1)
        const raw = json.replace(/\\([\\"nr])/g, (whole, letter) => ({ n: '\n', r: '\r' })[String(letter)] ?? whole)
        expect(toJsonText(raw)).toBe(json)
      }),
    )
  })

  it.each(['', ' ', 'text', '{"a":1', '{"a":1} x', '1 2', '"a', '007', '1.', '"a\tb"'])('finds none in %j', (text) => {
    expect(toJsonText(text)).toBeUndefined()
  })
})

describe('toJsonObjectText', () => {
  it('takes objects only', () => {
    expect(toJsonObjectText(' {"a":1}')).toBe(' {"a":1}')
    for (const text of ['[1]', '"{}"', '1', 'null', '{', '']) expect(toJsonObjectText(text)).toBeUndefined()
  })
})

describe('parseCallJson', () => {
  it('takes as many members as a call can hold', () => {
    const count = 1_000_001
    expect(parseCallJson(`[${'[],'.repeat(count - 1)}[]]`).length).toBe(count)
  })
})
