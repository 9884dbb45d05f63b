import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findAt, toLines, toPieces } from './transcript.ts'

const word = (text: string, start: number, end = start + 1) => ({ word: text, text, start, end })
const segment = (start: number, end: number, text: string) => ({
  ...{ id: 0, seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 },
  ...{ start, end, text },
})

describe('lines of a transcript', () => {
  it('get the words that begin before the next line', () => {
    const words = [word('One', 0), word('two', 1), word('three', 1.98), word('four', 3)]
    const lines = toLines({
      text: '',
      duration: 4,
      segments: [segment(0, 2, ' One two'), segment(2, 4, 'three four ')],
      words,
    })
    expect(lines.map(({ text, words: own }) => [text, own.map((each) => each.word)])).toEqual([
      ['One two', ['One', 'two']],
      ['three four', ['three', 'four']],
    ])
  })

  it('keep the words that stand in their segments', () => {
    const words = [word('own', 0)]
    const [line] = toLines({
      text: 'own',
      duration: 1,
      segments: [{ ...segment(0, 1, 'own'), words }],
      words: [word('x', 0)],
    })
    expect(line?.words).toEqual(words)
  })

  it('are one line without segments, and none for silence', () => {
    const lines = toLines({ text: 'Hello', duration: 2, segments: [], words: [word('Hello', 0)] })
    expect(lines).toMatchObject([{ start: 0, end: 2, text: 'Hello', words: [{ word: 'Hello' }] }])
    expect(toLines({ text: ' ', duration: 2, segments: [] })).toEqual([])
  })
})

describe('words of a line', () => {
  it('keep the signs and spaces between them', () => {
    expect(toPieces({ text: '“So, yes.”', words: [word(' So', 0), word('yes.', 1)] })).toEqual([
      { text: '“' },
      { text: 'So', start: 0 },
      { text: ', ' },
      { text: 'yes.', start: 1 },
      { text: '”' },
    ])
    expect(toPieces({ text: '你好', words: [word('你', 0), word('好', 1)] }).map(({ text }) => text)).toEqual([
      '你',
      '好',
    ])
  })

  it('stand alone where the text has other words', () => {
    const pieces = toPieces({ text: 'twenty one', words: [word('21', 0), word('one', 1)] })
    expect(pieces.filter(({ start }) => start !== undefined).map(({ text }) => text)).toEqual(['21', 'one'])
  })
})

describe('the entry at a time', () => {
  it('is the last one that has begun', () => {
    const entries = [{ start: 0.5 }, { start: 1 }, { start: 1 }, { start: 3 }]
    expect([0, 0.5, 0.9, 1, 2.9, 3, 99].map((seconds) => findAt(entries, seconds))).toEqual([-1, 0, 0, 2, 2, 3, 3])
    expect(findAt([], 1)).toBe(-1)
  })

  it('agrees with a walk over all entries', () => {
    const times = fc.array(fc.double({ min: 0, max: 100, noNaN: true })).map((all) => all.sort((a, b) => a - b))
    fc.assert(
      fc.property(times, fc.double({ min: -1, max: 101, noNaN: true }), (starts, seconds) => {
        const walked = starts.filter((start) => start <= seconds).length - 1
        expect(
          findAt(
            starts.map((start) => ({ start })),
            seconds,
          ),
        ).toBe(walked)
      }),
    )
  })
})
