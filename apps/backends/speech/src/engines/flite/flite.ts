import { createCallSignals, createSlotPool } from '@svc/backend-kit'
import { invalidRequest, SpeechError } from '../../errors.ts'
import type { SpeechModel, SpeechRequest, Voice } from '../../speech-model.ts'
import { joinClauses } from '../../text/join-clauses.ts'
import { splitClauses } from '../../text/split-clauses.ts'
import type { Engine, LoadSettings } from '../engine.ts'
import { readVoiceAliases } from '../voice-aliases.ts'
import { compileFlite } from './compile-flite.ts'
import { foldText, isSpeakable } from './fold-text.ts'
import { speakText } from './speak-text.ts'
import { FLITE_VOICES, isVoiceFile, readDefaultVoice } from './voice-file.ts'

/** Longest text of one call, in characters. */
const MAX_TEXT = 50_000
/** Most words of one call: about an hour of speech. */
const MAX_WORDS = 10_000
/** What is spoken as a word. Letters of long words may be spelled out. */
const WORD = /[A-Za-z]{1,12}|[^\sA-Za-z.,:;!?'"()<>[\]{}\x60-]/g
/** A thread starts in the time of some forty characters. */
const PIECE = { least: 40, max: 300 } as const

/**
 * The synthesiser that comes with this backend: English, in WebAssembly. It runs in threads of this process, one for
 * each piece of the text.
 */
export const fliteEngine: Engine = {
  options: ['voice_aliases'],
  recognizes: isVoiceFile,
  load: async (settings, { signal }) => {
    const voice = await readDefaultVoice(settings.path)
    const voices = [voice, ...FLITE_VOICES.filter((other) => other !== voice)]
    const aliases = readVoiceAliases(settings.options, voices)
    const module = await compileFlite()
    signal.throwIfAborted()
    return createModel(module, { settings, voices, aliases })
  },
}

interface ModelParts {
  readonly settings: LoadSettings
  readonly voices: readonly Voice[]
  readonly aliases: ReadonlyMap<string, Voice>
}

function createModel(module: WebAssembly.Module, { settings, voices, aliases }: ModelParts): SpeechModel {
  const pool = createSlotPool(Array.from({ length: settings.parallel }), { maxWaiting: settings.maxWaiting })
  const signals = createCallSignals()

  async function* speak(request: SpeechRequest, caller: AbortSignal): AsyncGenerator<Int16Array> {
    const pieces = toPieces(request.text)
    const call = signals.begin(caller)
    try {
      const lease = await pool.acquire(call)
      // a reader that has stopped reading does not keep the place of an aborted call
      call.signal.addEventListener('abort', lease.release, { once: true })
      try {
        const job = { voice: request.voice.name, stretch: 1 / request.speed }
        for (const text of pieces) {
          const { sampleRate, samples } = await speakText(module, { ...job, text }, call.signal)
          if (sampleRate !== readRate(request.voice)) throw new SpeechError('internal', 'the engine has another rate')
          yield samples
        }
      } finally {
        lease.release()
      }
    } finally {
      call.end()
    }
  }

  return {
    engine: 'flite',
    parallel: settings.parallel,
    memoryBytes: 0,
    get busy() {
      return pool.busy
    },
    synthesizer: {
      voices,
      aliases,
      sampleRate: readRate,
      speak: (request, { signal }) => speak(request, signal),
    },
    close: async () => {
      signals.close()
      await pool.close()
    },
  }
}

function readRate({ name }: Voice): number {
  return name === 'kal' ? 8000 : 16_000
}

/** @throws SpeechError `invalid_request` for a text that is too long or has nothing that the engine can speak */
function toPieces(text: string): readonly string[] {
  if (text.length > MAX_TEXT) throw invalidRequest(`text must have at most ${MAX_TEXT} characters`, 'text')
  const folded = foldText(text)
  if ((folded.match(WORD)?.length ?? 0) > MAX_WORDS) {
    throw invalidRequest(`text must have at most ${MAX_WORDS} words; digits and signs are one each`, 'text')
  }
  const pieces = joinClauses(splitClauses(folded).filter(isSpeakable), PIECE)
  if (pieces.length > 0) return pieces
  throw invalidRequest('the text has no Latin letters and no digits: this voice speaks nothing else', 'text')
}
