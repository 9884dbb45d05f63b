import type { PartialMessage, TranscriptRequest, TranscriptResult } from '@svc/backend-client/proto'
import type { BackendAnswers } from '../state.ts'
import { readAudioSeconds, SAMPLE_RATE } from '../wav.ts'
import { splitWords } from '../words.ts'

const TEXT = 'This is a mocked transcription.'
const NANOSECONDS = 1_000_000_000

/** Sound to text: always the same sentence, spread over the length of the audio. */
export const transcriptionAnswers = {
  audioTranscription: (request) => transcribe(readAudioSeconds(request.dst), request),
  async *audioTranscriptionStream(request) {
    for (const word of splitWords(TEXT)) yield { delta: word }
    yield { finalResult: transcribe(readAudioSeconds(request.dst), request) }
  },
  async *audioTranscriptionLive(requests) {
    let samples = 0
    for await (const { config, audio } of requests) {
      if (config) {
        samples = 0
        yield { ready: true }
      }
      if (!audio) continue
      samples += audio.pcm.length
      yield { delta: `[${audio.pcm.length}]` }
    }
    yield { finalResult: transcribe(samples / SAMPLE_RATE, {}), eou: true }
  },
} satisfies Partial<BackendAnswers>

function transcribe(seconds: number, request: Partial<TranscriptRequest>): PartialMessage<TranscriptResult> {
  const words = splitWords(TEXT)
  const time = (index: number) => BigInt(Math.round((seconds * NANOSECONDS * index) / words.length))
  const timed = words.map((text, index) => ({ start: time(index), end: time(index + 1), text: text.trim() }))
  return {
    text: TEXT,
    language: request.language || 'en',
    duration: seconds,
    segments: [
      {
        id: 0,
        start: 0n,
        end: time(words.length),
        text: TEXT,
        tokens: words.map((_, index) => index),
        speaker: request.diarize ? 'SPEAKER_00' : '',
        words: request.timestampGranularities?.includes('word') ? timed : [],
      },
    ],
  }
}
