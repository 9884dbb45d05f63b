import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hit } from './__fixtures__/detectors.ts'
import { cutBySegment, joinSegments } from './document.ts'

const texts = (...list: string[]) => ({ segments: list.map((text) => ({ text })) })

describe('joinSegments', () => {
  it('puts a blank line between segments and skips empty ones', () => {
    const { document, indices } = joinSegments(texts('Ada', '', 'Bo'))
    expect(document.text).toBe('Ada\n\n\n\nBo')
    expect(document.segments).toEqual([
      { start: 0, end: 3 },
      { start: 7, end: 9 },
    ])
    expect(indices).toEqual([0, 2])
  })

  it('knows the parts of one message, despite empty ones', () => {
    const messages = [
      { start: 1, end: 4 },
      { start: 4, end: 6 },
      { start: 6, end: 8 },
    ]
    const { document } = joinSegments({ ...texts('x', 'a', '', 'b', '', 'c', 'd', 'e'), messages })
    expect(document.messages).toEqual([
      { start: 1, end: 3 },
      { start: 4, end: 6 },
    ])
  })

  it('scans a lone half of a surrogate pair as U+FFFD and leaves pairs alone', () => {
    const joined = joinSegments(texts('a\ud83db', '\udeb2', '🚲\ud83d'))
    expect(joined.texts).toEqual(['a\ufffdb', '\ufffd', '🚲\ufffd'])
  })
})

describe('cutBySegment', () => {
  const { document } = joinSegments(texts('a b', 'c', 'd e'))
  const cut = (start: number, end: number) =>
    cutBySegment([hit(start, end)], document.segments).map((pieces) => pieces.map((piece) => [piece.start, piece.end]))

  it('gives each segment its detections, with local offsets', () => {
    expect(cut(2, 9)).toEqual([[[2, 3]], [[0, 1]], [[0, 1]]])
  })

  it('drops detections on a separator', () => {
    expect(cut(3, 5)).toEqual([[], [], []])
    expect(cut(0, 5)).toEqual([[[0, 3]], [], []])
    expect(cut(4, 6)).toEqual([[], [[0, 1]], []])
  })

  it('keeps everything else of the detection', () => {
    const detection = hit(5, 6, { group: 'PIN', source: 'pattern', score: 1, action: 'block', rank: 3 })
    expect(cutBySegment([detection], document.segments)[1]).toEqual([{ ...detection, start: 0, end: 1 }])
  })
})

it('the pieces of any detection are the text it covers, without the separators', () => {
  const lists = fc.array(fc.array(fc.constantFrom('a', '🚲', '\n', '\ud83d'), { maxLength: 6 }), { maxLength: 6 })
  fc.assert(
    fc.property(lists, fc.nat(40), fc.nat(40), (list, one, other) => {
      const { document, texts: scanned, indices } = joinSegments(texts(...list.map((parts) => parts.join(''))))
      const [start, end] = [Math.min(one, other), Math.min(Math.max(one, other), document.text.length)]
      fc.pre(start < end)
      const pieces = cutBySegment([hit(start, end)], document.segments)
      const seen = pieces.flatMap((list, place) =>
        list.map((piece) => (scanned[indices[place] ?? -1] ?? '').slice(piece.start, piece.end)),
      )
      const expected = document.segments
        .map((segment) => document.text.slice(Math.max(start, segment.start), Math.min(end, segment.end)))
        .filter((_, index) => {
          const segment = document.segments[index]
          return segment !== undefined && start < segment.end && end > segment.start
        })
      expect(seen).toEqual(expected)
      expect(seen.every((text) => text !== '')).toBe(true)
    }),
  )
})
