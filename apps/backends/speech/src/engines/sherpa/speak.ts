import { float32ToS16 } from '@svc/audio/samples'
import { invalidRequest } from '../../errors.ts'
import type { SpeechRequest, Synthesizer, Voice } from '../../speech-model.ts'
import { splitClauses } from '../../text/split-clauses.ts'
import type { EnginePool } from '../child/engine-pool.ts'
import { askSession } from './ask-session.ts'
import type { SpokenResult } from './protocol.ts'

/** Longest text of one call, in characters. */
const MAX_TEXT = 50_000

/** A loaded voice. */
export interface SherpaVoice {
  readonly pool: EnginePool
  readonly sampleRate: number
  /** In the order of the speakers' numbers. */
  readonly voices: readonly Voice[]
  readonly aliases: ReadonlyMap<string, Voice>
}

/** Creates the synthesizer of a loaded voice. */
export function createSynthesizer(voice: SherpaVoice): Synthesizer {
  return {
    voices: voice.voices,
    aliases: voice.aliases,
    sampleRate: () => voice.sampleRate,
    speak: (request, { signal }) => speak(voice, request, signal),
  }
}

async function* speak(
  { pool, voices }: SherpaVoice,
  { text, voice, speed }: SpeechRequest,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  if (text.length > MAX_TEXT) throw invalidRequest(`text must have at most ${MAX_TEXT} characters`, 'text')
  // The engine reads a text up to its first zero.
  const clauses = splitClauses(text.replaceAll('\0', ' ')).filter((clause) => /[\p{L}\p{N}]/u.test(clause))
  if (clauses.length === 0) throw invalidRequest('the text has no letters and no digits to speak', 'text')
  const speaker = voices.indexOf(voice)
  const session = await pool.begin({ signal })
  try {
    for (const clause of clauses) {
      const { samples } = await askSession<SpokenResult>(session, { kind: 'speak', text: clause, speaker, speed })
      const bytes = float32ToS16(samples)
      yield new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
    }
  } finally {
    session.end()
  }
}
