import { describe, expect, it } from 'vitest'
import type { WhisperPart } from './protocol.ts'
import { toSegments } from './segments.ts'
import { SPEECH_RATE } from './windows.ts'

const window = (seconds: number, isWhole = true) => ({
  samples: new Float32Array(seconds * SPEECH_RATE),
  offset: 100 * SPEECH_RATE,
  isWhole,
  isSilent: false,
})
const heard = (...parts: readonly WhisperPart[]) => ({ parts, language: 'en' })
const part = (text: string, start: number, end: number): WhisperPart => ({ text, start, end })

describe('segments of a window', () => {
  it('have times from the start of the audio, not behind its end', () => {
    const result = heard(part(' One two.', 0, 150), part(' Three.', 150, 2990))
    expect(toSegments(result, window(3), { words: false })).toEqual({
      segments: [
        { start: 100, end: 101.5, text: 'One two.', words: [], language: 'en' },
        { start: 101.5, end: 103, text: 'Three.', words: [], language: 'en' },
      ],
      restart: undefined,
    })
  })

  it('are sentences of words, and end before a pause', () => {
    const words = [
      ...[part('', 0, 10), part('Yes.”', 10, 50), part('I', 60, 80), part('know', 80, 120)],
      ...[part('that', 240, 260), part('well', 260, 300)],
    ]
    const { segments } = toSegments(heard(...words), window(10), { words: true })
    expect(segments.map(({ text, start, end, words: inside }) => [text, start, end, inside.length])).toEqual([
      ['Yes.”', 100.1, 100.5, 1],
      ['I know', 100.6, 101.2, 2],
      ['that well', 102.4, 103, 2],
    ])
  })

  it('leave the last one to the next window where a word may be cut', () => {
    const result = heard(part('One.', 0, 1200), part('Two', 1200, 3000))
    const { segments, restart } = toSegments(result, window(30, false), { words: false })
    expect([segments.map(({ text }) => text), restart]).toEqual([['One.'], 12 * SPEECH_RATE])
    const alone = toSegments(heard(part('One', 0, 2900)), window(30, false), { words: false })
    expect([alone.segments.length, alone.restart]).toEqual([1, 29 * SPEECH_RATE])
  })

  it('always move on', () => {
    const result = heard(part('One.', 0, 100), part('Two', 100, 3000))
    const { segments, restart } = toSegments(result, window(30, false), { words: false })
    expect([segments.length, restart]).toEqual([2, undefined])
    expect(toSegments(heard(), window(30, false), { words: false })).toEqual({ segments: [], restart: undefined })
  })
})
