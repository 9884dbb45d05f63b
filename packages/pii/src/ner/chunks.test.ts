import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWellFormed } from '../well-formed.ts'
import { type ChunkHit, type ChunkSettings, chooseChunking, cutChunks, uniteChunks } from './chunks.ts'

/** Runs a recogniser over chunks and returns its detections in order. */
function classify(text: string, settings: ChunkSettings, recognise: (chunk: string) => ChunkHit[]): ChunkHit[] {
  const chunks = cutChunks(text, settings)
  const found = chunks.map(({ start, end }) =>
    recognise(text.slice(start, end)).map((hit) => ({ ...hit, start: hit.start + start, end: hit.end + start })),
  )
  return uniteChunks(chunks, found).toSorted((one, other) => one.start - other.start)
}

/** Reports the matches of a pattern. */
function createRecogniser(pattern: RegExp): (text: string) => ChunkHit[] {
  return (text) =>
    [...text.matchAll(pattern)].map((match) => {
      return { start: match.index, end: match.index + match[0].length, group: 'PIN', score: 0.9 }
    })
}

describe('cutChunks', () => {
  it('leaves a short text whole', () => {
    expect(cutChunks('abc', { size: 3, overlap: 10 })).toEqual([{ start: 0, end: 3, core: { start: 0, end: 3 } }])
  })

  it('cuts at a blank line, else at white space, else where it must', () => {
    const cores = (text: string) =>
      cutChunks(text, { size: 10, overlap: 0 }).map(({ core }) => text.slice(core.start, core.end))
    expect(cores('aaa bbb\n\nccc ddd')).toEqual(['aaa bbb\n\n', 'ccc ddd'])
    expect(cores('aaa bbb ccc ddd')).toEqual(['aaa bbb ', 'ccc ddd'])
    expect(cores('aaaaaaaaaaaaaaa')).toEqual(['aaaaaaaaaa', 'aaaaa'])
    expect(cores('aaaaaaaaa🚲aaaaa')).toEqual(['aaaaaaaaa🚲', 'aaaaa'])
  })

  it.each([
    { size: 0, overlap: 0 },
    { size: 10, overlap: -1 },
    { size: Number.NaN, overlap: 1 },
    { size: 10.5, overlap: 1 },
  ])('refuses %o', (settings) => {
    expect(() => cutChunks('abc', settings)).toThrow(expect.objectContaining({ code: 'pii_config' }))
  })

  it('covers any text, with the overlap on both sides, cutting no character and keeping to the size', () => {
    const texts = fc
      .array(fc.constantFrom('a', 'bb', ' ', '\n\n', '🚲'), { maxLength: 80 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), fc.nat(16), (text, size, overlap) => {
        const chunks = cutChunks(text, { size, overlap })
        let at = 0
        for (const { start, end, core } of chunks) {
          expect(core.start).toBe(at)
          expect(core.end).toBeGreaterThan(core.start - (text === '' ? 1 : 0))
          at = core.end
          if (chunks.length > 1) {
            expect(start).toBeLessThanOrEqual(Math.max(0, core.start - overlap))
            expect(end).toBeGreaterThanOrEqual(Math.min(text.length, core.end + overlap))
            const least = 2 * (overlap + Math.floor(overlap / 8)) + 1
            // An edge inside a character moves by one unit, on either side and at the end of the core.
            expect(end - start).toBeLessThanOrEqual(Math.max(size, least) + 3)
          }
          expect(toWellFormed(text.slice(start, end))).toBe(text.slice(start, end))
        }
        expect(at).toBe(text.length)
      }),
    )
  })
})

describe('chunks for a model', () => {
  it.each([
    [512, { size: 504, overlap: 75 }],
    [100_000, { size: 4096, overlap: 614 }],
    [24, { size: 256, overlap: 38 }],
  ])('of %i tokens', (contextSize, expected) => {
    expect(chooseChunking(contextSize)).toEqual(expected)
  })

  it('have a token for each code unit, and for the special tokens', () => {
    const text = fc.array(fc.constantFrom('word ', '\n\n', '🚲', '長い', 'unbroken'), { maxLength: 400 })
    fc.assert(
      fc.property(text, fc.integer({ min: 264, max: 1024 }), (parts, contextSize) => {
        for (const { start, end } of cutChunks(parts.join(''), chooseChunking(contextSize))) {
          expect(end - start).toBeLessThanOrEqual(contextSize - 2)
        }
      }),
    )
  })
})

describe('any size of chunks gives the result of the whole text', () => {
  const alphabet = ['7', '42', 'p', 'pin ', ' ', '.', '\n\n', '🚲', 'é', 'AB']
  const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 120 }).map((parts) => parts.join(''))
  const sizes = fc.integer({ min: 1, max: 150 })

  it.each<[string, RegExp, number]>([
    ['runs of four digits and no more', /(?<!\d)\d{4}(?!\d)/g, 5],
    ['digits after a word before them', /(?<=pin.{0,6})\d{1,3}/gsu, 18],
    ['a pattern that depends on later text', /\d(?=[^\d]{0,5}pin)/gu, 14],
  ])('of a recogniser of %s', (_, pattern, overlap) => {
    const recognise = createRecogniser(pattern)
    fc.assert(
      fc.property(texts, sizes, (text, size) => {
        const whole = recognise(text)
        expect(classify(text, { size, overlap }, recognise)).toEqual(whole)
      }),
      { numRuns: 400 },
    )
  })

  it('of a recogniser of runs longer than the overlap: a continued run is one detection', () => {
    const recognise = createRecogniser(/[7A-D]+/g)
    const runs = fc.array(fc.constantFrom('7', 'AB', 'CDCDCDCDCDCDCDCDCD', ' ', '.'), { maxLength: 60 })
    fc.assert(
      fc.property(runs, sizes, fc.integer({ min: 1, max: 8 }), (parts, size, overlap) => {
        const text = parts.join('')
        expect(classify(text, { size, overlap }, recognise)).toEqual(recognise(text))
      }),
      { numRuns: 400 },
    )
  })
})

describe('a detection at the end of a chunk', () => {
  const chunks = [
    { start: 0, end: 10, core: { start: 0, end: 6 } },
    { start: 2, end: 16, core: { start: 6, end: 12 } },
  ]
  const hit = (start: number, end: number, rest: Partial<ChunkHit> = {}): ChunkHit => ({
    start,
    end,
    group: 'A',
    score: 0.5,
    ...rest,
  })

  it("continues to the end of the next chunk's detection, under its own group, with the better score", () => {
    expect(uniteChunks(chunks, [[hit(4, 10)], [hit(3, 14, { score: 0.7 })]])).toEqual([hit(4, 14, { score: 0.7 })])
    expect(uniteChunks(chunks, [[hit(4, 10)], [hit(3, 14, { group: 'B', score: 0.7 })]])).toEqual([hit(4, 14)])
  })

  it('stays when the next chunk does not continue it', () => {
    expect(uniteChunks(chunks, [[hit(4, 10)], [hit(3, 5)]])).toEqual([hit(4, 10)])
  })
})

describe('a detection on the edge of two cores', () => {
  const chunks = [
    { start: 0, end: 20, core: { start: 0, end: 14 } },
    { start: 8, end: 40, core: { start: 14, end: 34 } },
    { start: 28, end: 40, core: { start: 34, end: 40 } },
  ]
  const hit = (start: number, end: number): ChunkHit => ({ start, end, group: 'A', score: 0.5 })

  it('is found where each of their chunks has it begin in the other', () => {
    expect(uniteChunks(chunks, [[hit(14, 18)], [hit(10, 18)]])).toEqual([hit(10, 18)])
  })

  it('is found to its end where one of them sees two in it', () => {
    expect(uniteChunks(chunks, [[hit(10, 13), hit(14, 18)], [hit(10, 18)]])).toEqual([hit(10, 13), hit(10, 18)])
    expect(uniteChunks(chunks, [[hit(10, 18)], [hit(10, 13), hit(14, 18)]])).toEqual([hit(10, 18), hit(14, 18)])
  })

  it('is found where only one of them sees it', () => {
    expect(uniteChunks(chunks, [[], [hit(10, 18)]])).toEqual([hit(10, 18)])
    expect(uniteChunks(chunks, [[hit(10, 18)], []])).toEqual([hit(10, 18)])
    expect(uniteChunks(chunks, [[], [hit(10, 40)], [hit(28, 40)]])).toEqual([hit(10, 40)])
  })

  it('is one where both see the same', () => {
    expect(uniteChunks(chunks, [[hit(10, 18)], [hit(10, 18)]])).toEqual([hit(10, 18)])
    expect(uniteChunks(chunks, [[hit(10, 13), hit(13, 18)], [hit(9, 18)]])).toEqual([hit(10, 13), hit(13, 18)])
  })
})
