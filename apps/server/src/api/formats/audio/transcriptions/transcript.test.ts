import { diarizedTranscription, transcription, verboseTranscription } from '@svc/wire/openai'
import { describe, expect, it } from 'vitest'
import { toTranscript } from '../../../../inference/operations/audio/transcript.ts'
import { toDiarizedJson, toDoneEvent, toJson, toVerboseJson } from './transcript-json.ts'
import { type TextFormat, writeTranscript } from './transcript-text.ts'

const NO_WORDS = { tokens: [], speaker: '', words: [] }
const seconds = (time: number): bigint => BigInt(Math.round(time * 1e9))

const GIVEN = {
  text: ' Hello there.\n Bye <now> & then.',
  language: 'en',
  duration: 3723.5,
  eou: false,
  segments: [
    {
      ...NO_WORDS,
      id: 0,
      start: 0n,
      end: seconds(2.5),
      text: ' Hello there.',
      tokens: [1, 2],
      speaker: 'A',
      words: [
        { start: 0n, end: seconds(1), text: 'Hello' },
        { start: seconds(1), end: seconds(2.5), text: 'there.' },
      ],
    },
    { ...NO_WORDS, id: 1, start: seconds(59.9996), end: seconds(61), text: ' \n' },
    { ...NO_WORDS, id: 2, start: seconds(3600.0004), end: seconds(3723.4565), text: ' Bye <now>\r\n\n & --> then.' },
  ],
}
const transcript = toTranscript(GIVEN)
const facts = { task: 'transcribe', temperature: 0.2, hasWords: true } as const

describe('a transcript as text', () => {
  // verifies transcriptions:format:text
  it.each<[TextFormat, string]>([
    ['text', 'Hello there.\n Bye <now> & then.\n'],
    ['txt', 'Hello there.\n Bye <now> & then.\n'],
    [
      'srt',
      '1\n00:00:00,000 --> 00:00:02,500\nHello there.\n\n2\n01:00:00,000 --> 01:02:03,457\nBye <now>\n& --> then.\n\n',
    ],
    [
      'vtt',
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHello there.\n\n01:00:00.000 --> 01:02:03.457\nBye &lt;now&gt;\n&amp; --&gt; then.\n\n',
    ],
    ['lrc', '[by:svc]\n[re:svc]\n\n[00:00:00] Hello there.\n[60:00:00] Bye <now> & --> then.\n'],
  ])('%s', (format, expected) => {
    expect(writeTranscript(transcript, format)).toBe(expected)
  })

  it.each<[TextFormat, string]>([
    ['text', '\n'],
    ['srt', ''],
    ['vtt', 'WEBVTT\n\n'],
    ['lrc', '[by:svc]\n[re:svc]\n\n'],
  ])('%s of silence', (format, expected) => {
    expect(writeTranscript(toTranscript({ ...GIVEN, text: '', segments: [] }), format)).toBe(expected)
  })

  it('without parts is one cue', () => {
    const whole = toTranscript({ ...GIVEN, text: 'All of it.', duration: 2, segments: [] })
    expect(writeTranscript(whole, 'srt')).toBe('1\n00:00:00,000 --> 00:00:02,000\nAll of it.\n\n')
  })

  it('rounds times up to the next second, and never back in time', () => {
    const [first] = GIVEN.segments
    const segments = [{ ...first, start: seconds(59.9996), end: seconds(1) }] as typeof GIVEN.segments
    expect(writeTranscript(toTranscript({ ...GIVEN, segments }), 'srt')).toContain('00:01:00,000 --> 00:01:00,000')
  })
})

describe('a transcript as JSON', () => {
  // verifies transcriptions:format:json
  it('json has text, language and duration', () => {
    const reply = toJson(transcript)
    expect(reply).toEqual({
      text: GIVEN.text,
      language: 'en',
      duration: 3723.5,
      usage: { type: 'duration', seconds: 3723.5 },
    })
    expect(transcription.parse(reply)).toEqual(reply)
    expect(toJson(toTranscript({ ...GIVEN, language: '', duration: 0, segments: [] }))).toEqual({ text: GIVEN.text })
  })

  // verifies transcriptions:format:verbose
  it('verbose_json has every number of a segment, and words under both names', () => {
    const reply = toVerboseJson(transcript, facts)
    expect(verboseTranscription.parse(reply)).toEqual(reply)
    const words = [
      { word: 'Hello', text: 'Hello', start: 0, end: 1 },
      { word: 'there.', text: 'there.', start: 1, end: 2.5 },
    ]
    const unknown = { seek: 0, temperature: 0.2, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 }
    const segment = { id: 0, start: 0, end: 2.5, text: ' Hello there.', tokens: [1, 2] }
    expect(reply).toMatchObject({ task: 'transcribe', language: 'en', duration: 3723.5, words })
    expect(reply.segments[0]).toEqual({ ...segment, ...unknown, speaker: 'A', words })
    expect(reply.segments[2]).toMatchObject({ start: 3600.0004, end: 3723.4565 })
    expect('words' in toVerboseJson(transcript, { ...facts, hasWords: false })).toBe(false)
  })

  // verifies transcriptions:format:diarized
  it('diarized_json names a speaker for each part', () => {
    const reply = toDiarizedJson(transcript, 'translate')
    expect(diarizedTranscription.parse(reply)).toEqual(reply)
    expect(reply.segments.map(({ type, id, speaker }) => [type, id, speaker])).toEqual([
      ['transcript.text.segment', 'seg_0', 'A'],
      ['transcript.text.segment', 'seg_1', 'unknown'],
      ['transcript.text.segment', 'seg_2', 'unknown'],
    ])
  })

  it('the last event of a stream has segments only with verbose_json', () => {
    expect('segments' in toDoneEvent(transcript, { ...facts, isVerbose: false })).toBe(false)
    expect(toDoneEvent(transcript, { ...facts, isVerbose: true }).segments).toHaveLength(3)
  })
})

describe('what a backend gives', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0])('a length of %s is that of the last part', (duration) => {
    expect(toTranscript({ ...GIVEN, duration }).duration).toBe(3723.4565)
  })

  it('a text that only the parts have is joined', () => {
    expect(toTranscript({ ...GIVEN, text: '' }).text).toContain(' Hello there. \n Bye')
    expect(toTranscript({ ...GIVEN, text: '', segments: [] }, 'heard').text).toBe('heard')
  })

  it('times before the beginning are the beginning', () => {
    const [first] = GIVEN.segments
    const segments = [{ ...first, start: -5n, end: -1n }] as typeof GIVEN.segments
    expect(toTranscript({ ...GIVEN, segments }).segments[0]).toMatchObject({ start: 0, end: 0 })
  })
})
