import { makeSpeech } from '../make-speech.ts'
import type { BackendAnswers } from '../state.ts'
import { encodeWav, makeTone, SAMPLE_RATE } from '../wav.ts'
import { splitWords } from '../words.ts'
import { writeResult } from '../write-result.ts'

/** Text to sound. */
export const speechAnswers = {
  tts: ({ dst, text }, { behaviour }) => writeResult(dst, encodeWav(makeSpeech(text, behaviour))),
  /** The sample rate first, then one reply a word. */
  async *ttsStream({ text }, { behaviour }) {
    yield { message: Buffer.from(JSON.stringify({ sample_rate: SAMPLE_RATE })) }
    for (const word of splitWords(text)) yield { audio: makeSpeech(word, behaviour) }
  },
  soundGeneration: ({ dst, duration }) => writeResult(dst, encodeWav(makeTone(duration ?? 0.5, 220))),
} satisfies Partial<BackendAnswers>
