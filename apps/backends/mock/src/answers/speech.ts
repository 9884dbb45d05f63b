import type { BackendAnswers } from '../state.ts'
import { encodeWav, makeTone, SAMPLE_RATE } from '../wav.ts'
import { splitWords } from '../words.ts'
import { writeResult } from '../write-result.ts'

const SECONDS_A_WORD = 0.1

/** Text to sound. */
export const speechAnswers = {
  tts: ({ dst, text }) => writeResult(dst, encodeWav(speak(text))),
  /** The sample rate first, then one reply a word. */
  async *ttsStream({ text }) {
    yield { message: Buffer.from(JSON.stringify({ sample_rate: SAMPLE_RATE })) }
    for (const word of splitWords(text)) yield { audio: speak(word) }
  },
  soundGeneration: ({ dst, duration }) => writeResult(dst, encodeWav(makeTone(duration ?? 0.5, 220))),
} satisfies Partial<BackendAnswers>

function speak(text: string): Buffer {
  return makeTone(Math.max(1, splitWords(text).length) * SECONDS_A_WORD)
}
