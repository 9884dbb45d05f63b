import { expect, it } from 'vitest'
import { readTranscript } from './transcription.ts'

const SECOND = 1_000_000_000n

it('words beside the segments belong to the segment in which they start', () => {
  const { segments } = readTranscript({
    segments: [2, 4, 6].map((start) => ({ start, end: start + 2, text: 'said' })),
    words: [1, 2, 3.5, 4, 9].map((start) => ({ start, end: start, word: `${start}` })),
  })
  expect(segments.map(({ words }) => words.map(({ text }) => text))).toEqual([['1', '2', '3.5'], ['4'], ['9']])
})

it('a transcript of many words and segments is read in a short time', () => {
  const times = Array.from({ length: 50_000 }, (_, index) => ({ start: index, end: index + 1, text: 'said' }))
  const start = process.cpuUsage()
  const { segments } = readTranscript({ segments: times, words: times })
  expect(segments[49_999]?.words).toHaveLength(1)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
})

it('times that no field can hold are cut', () => {
  const { segments } = readTranscript({ segments: [{ start: 0, end: 1e300, text: 'said' }] })
  expect(segments[0]?.end).toBe(1_000_000_000n * SECOND)
})
