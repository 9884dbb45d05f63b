import { invalidRequest } from '../../errors.ts'
import type { CallOptions, SpokenSegment, TranscriptionRequest } from '../../speech-model.ts'
import type { EnginePool, EngineSession } from '../child/engine-pool.ts'
import type { WhisperCall, WhisperFacts, WhisperResult } from './protocol.ts'
import { toSegments } from './segments.ts'
import { createWindows, SPEECH_RATE } from './windows.ts'

/** Characters of a prompt that the engine reads: about its 224 tokens, and the last ones. */
const PROMPT_LENGTH = 1000
/** The engine hears nothing in shorter audio; it is filled up with silence. */
const SHORTEST = 1.2 * SPEECH_RATE

/** A loaded Whisper file. */
export interface WhisperModel {
  readonly pool: EnginePool
  readonly facts: WhisperFacts
  readonly threads: number
  readonly audioContext: number
}

/** Transcribes window by window, in one process. */
export async function* transcribe(
  model: WhisperModel,
  { samples, request }: { readonly samples: AsyncIterable<Float32Array>; readonly request: TranscriptionRequest },
  { signal }: CallOptions,
): AsyncGenerator<SpokenSegment> {
  const { facts, pool } = model
  let language = checkLanguage(request.language, facts)
  if (request.translate && facts.languages.length === 1) {
    throw invalidRequest('this model knows English only: there is nothing to translate', 'translate')
  }
  const session = await pool.begin({ signal })
  const windows = createWindows(samples)
  try {
    for (;;) {
      const window = await windows.next()
      session.signal.throwIfAborted()
      if (window === undefined) return
      if (window.isSilent) continue
      const call = { ...toCall(model, request, language), samples: fillUp(window.samples) }
      const result = await ask(session, call)
      // The language of the first words is the language of all.
      if (result.parts.length > 0) language ??= result.language
      const { segments, restart } = toSegments(result, window, request)
      if (restart !== undefined) windows.restartAt(restart)
      yield* segments
    }
  } finally {
    session.end()
    await windows.close()
  }
}

function checkLanguage(language: string | undefined, { languages }: WhisperFacts): string | undefined {
  if (language === undefined) return languages.length === 1 ? languages[0] : undefined
  if (languages.includes(language)) return language
  const known = [...languages].sort().join(', ')
  throw invalidRequest(`the model does not know the language ${JSON.stringify(language)}, only ${known}`, 'language')
}

function toCall(
  { threads, audioContext }: WhisperModel,
  { translate, prompt, temperature, words }: TranscriptionRequest,
  language: string | undefined,
): Omit<WhisperCall, 'samples'> {
  // The engine reads text that ends at a zero.
  const said = prompt.replaceAll('\0', ' ').slice(-PROMPT_LENGTH)
  return { language, translate, prompt: said, temperature, words, threads, audioContext }
}

function fillUp(samples: Float32Array): Float32Array {
  if (samples.length >= SHORTEST) return samples
  const filled = new Float32Array(SHORTEST)
  filled.set(samples)
  return filled
}

async function ask(session: EngineSession, call: WhisperCall): Promise<WhisperResult> {
  const replies = session.call(call)
  for (;;) {
    const { value, done } = await replies.next()
    // The other side is a file of this package: its result matches the type.
    if (done === true) return value as WhisperResult
  }
}
