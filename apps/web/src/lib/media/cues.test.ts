import { expect, it } from 'vitest'
import { writeShortTime, writeTime, writeTranscript } from './cues.ts'

const LINES = [
  { start: 0, end: 1.5, text: 'Hello & <welcome>', speaker: '', words: [] },
  { start: 3661.0416, end: 3662, text: 'a --> b\r\rc', speaker: 'Ann B', words: [] },
  { start: 5, end: 4, text: 'Bye', speaker: '', words: [] },
]

it('writes times with milliseconds, rounded once', () => {
  expect(writeTime(0, ',')).toBe('00:00:00,000')
  expect(writeTime(59.9996, '.')).toBe('00:01:00.000')
  expect(writeTime(3_599.9999, ',')).toBe('01:00:00,000')
  expect(writeTime(360_000.25, '.')).toBe('100:00:00.250')
  expect(writeTime(-1, '.')).toBe('00:00:00.000')
  expect([0, 62.4, 3723].map(writeShortTime)).toEqual(['0:00', '1:02', '1:02:03'])
})

it('writes SRT with numbers, and cues that no text breaks', () => {
  expect(writeTranscript('srt', LINES, {})).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello & <welcome>\n\n' +
      '2\n01:01:01,042 --> 01:01:02,000\nAnn B: a → b\nc\n\n' +
      '3\n00:00:05,000 --> 00:00:05,000\nBye\n',
  )
})

it('writes WebVTT with its signs escaped and its speakers as voices', () => {
  expect(writeTranscript('vtt', LINES, {})).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello &amp; &lt;welcome&gt;\n\n' +
      '01:01:01.042 --> 01:01:02.000\n<v Ann B>a → b\nc\n\n' +
      '00:00:05.000 --> 00:00:05.000\nBye\n',
  )
})

it('writes plain text and the whole reply', () => {
  expect(writeTranscript('txt', LINES.slice(0, 2), {})).toBe('Hello & <welcome>\nAnn B: a --> b\r\rc\n')
  expect(JSON.parse(writeTranscript('json', LINES, { text: 'x' }))).toEqual({ text: 'x' })
})
