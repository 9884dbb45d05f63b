import type { MockBehaviour } from './script.ts'
import { makeTone } from './wav.ts'
import { splitWords } from './words.ts'

const SECONDS_A_WORD = 0.1

/** Speaks a text as a tone, as 16-bit mono PCM: its length follows from the characters or the words. */
export function makeSpeech(text: string, { secondsPerCharacter }: MockBehaviour): Buffer {
  if (secondsPerCharacter !== undefined) return makeTone(text.length * secondsPerCharacter)
  return makeTone(Math.max(1, splitWords(text).length) * SECONDS_A_WORD)
}
