import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInsideCharacter, replaceLoneSurrogates, toWellFormed } from './well-formed.ts'

describe.each([toWellFormed, replaceLoneSurrogates])('%o', (repair) => {
  it('lone halves of pairs become U+FFFD, and nothing else changes', () => {
    expect(repair('a\ud83d\ud83d\udeb2\udeb2z')).toBe('a\ufffd🚲\ufffdz')
    expect(repair('é🚲')).toBe('é🚲')
  })

  it('any text becomes the text of its UTF-8, at the same offsets', () => {
    const texts = fc.array(fc.constantFrom('a', '🚲', '\ud83d', '\udeb2', '\ufffd')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(repair(text)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
        expect(repair(text)).toHaveLength(text.length)
      }),
    )
  })
})

it('an offset is inside a character between the halves of a pair alone', () => {
  const inside = (text: string) =>
    [...Array(text.length + 1).keys()].filter((offset) => isInsideCharacter(text, offset))
  expect(inside('a🚲b🚲')).toEqual([2, 5])
  expect(inside('\ud83d\ud83d\udeb2\udeb2')).toEqual([2])
  expect(inside('')).toEqual([])
})
