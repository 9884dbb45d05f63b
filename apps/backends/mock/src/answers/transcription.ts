import type { PartialMessage, TranscriptRequest, TranscriptResult } from '@svc/backend-client/proto'
import { chooseTranscript } from '../choose-transcript.ts'
import type { BackendAnswers } from '../state.ts'
import { readAudioSeconds, SAMPLE_RATE } from '../wav.ts'
import { splitWords } from '../words.ts'

const TEXT = 'This is a mocked transcription.'
const LIVE_SECONDS_A_WORD = 0.2
const NANOSECONDS = 1_000_000_000

/** Sound to text: a scripted text or always the same sentence, spread over the length of the audio. */
export const transcriptionAnswers = {
  audioTranscription(request, context) {
    const seconds = readAudioSeconds(request.dst)
    return transcribe(chooseTranscript(seconds, context) ?? TEXT, seconds, request)
  },
  async *audioTranscriptionStream(request, context) {
    const seconds = readAudioSeconds(request.dst)
    const text = chooseTranscript(seconds, context) ?? TEXT
    for (const word of splitWords(text)) yield { delta: word }
    yield { finalResult: transcribe(text, seconds, request) }
  },
  /** A scripted text comes by the word while the sound lasts. Without a script the deltas tell the number of samples. */
  async *audioTranscriptionLive(requests, context) {
    let samples = 0
    let told = 0
    const text = chooseTranscript(0, context)
    const words = splitWords(text ?? '')
    for await (const { config, audio } of requests) {
      if (config) {
        samples = 0
        told = 0
        yield { ready: true }
      }
      if (!audio) continue
      samples += audio.pcm.length
      if (text === undefined) yield { delta: `[${audio.pcm.length}]` }
      const known = Math.floor(samples / SAMPLE_RATE / LIVE_SECONDS_A_WORD)
      for (const delta of words.slice(told, known)) yield { delta }
      told = Math.max(told, Math.min(known, words.length))
    }
    for (const delta of words.slice(told)) yield { delta }
    yield { finalResult: transcribe(text ?? TEXT, samples / SAMPLE_RATE, {}), eou: true }
  },
} satisfies Partial<BackendAnswers>

function transcribe(
  text: string,
  seconds: number,
  request: Partial<TranscriptRequest>,
): PartialMessage<TranscriptResult> {
  const words = splitWords(text)
  const time = (index: number) => BigInt(Math.round((seconds * NANOSECONDS * index) / Math.max(1, words.length)))
  const timed = words.map((word, index) => ({ start: time(index), end: time(index + 1), text: word.trim() }))
  return {
    text,
    language: request.language || 'en',
    duration: seconds,
    segments: [
      {
        id: 0,
        start: 0n,
        end: time(words.length),
        text,
        tokens: words.map((_, index) => index),
        speaker: request.diarize ? 'SPEAKER_00' : '',
        words: request.timestampGranularities?.includes('word') ? timed : [],
      },
    ],
  }
}
