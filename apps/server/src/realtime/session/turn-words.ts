import type { LiveTranscription } from '../ports.ts'
import type { InputAudio } from './input-audio.ts'
import type { Listening } from './listening.ts'
import type { SessionContext } from './session-context.ts'

/** A stretch of heard sound, milliseconds. */
interface Stretch {
  readonly startMs: number
  readonly endMs: number
}

/** The words of the present turn, before it is over. */
export interface TurnWords {
  /** Begins to write down while the person speaks, where the pipeline can. */
  follow(startMs: number): Promise<void>
  hear(samples: Float32Array): void
  /** Writes down a stretch for turn taking. */
  write(stretch: Stretch, options: { readonly signal: AbortSignal }): Promise<string>
  /** Gives what is known of a turn that is over, and begins the next one. */
  take(turn: Stretch): { readonly text?: string | undefined; readonly live?: LiveTranscription | undefined }
  forget(): void
}

/** Two moments that differ less are the same. */
const SAME_MS = 50
/** Longest silence with which turns end that are judged by their words. */
const MAX_SILENCE_MS = 10_000

/** Creates the words of a session. */
export function createTurnWords(
  context: SessionContext,
  { input, listening }: { readonly input: () => InputAudio; readonly listening: Listening },
): TurnWords {
  const { stages } = context
  let live: LiveTranscription | undefined
  let written: (Stretch & { readonly text: string }) | undefined
  let turn = 0

  function forget(): void {
    turn += 1
    live?.close()
    live = undefined
    written = undefined
  }
  /** Whether a text has all words of a turn, which ends with silence. */
  function covers(known: Stretch, { startMs, endMs }: Stretch): boolean {
    const { turnDetection } = context.settings
    const silenceMs = turnDetection?.type === 'server_vad' ? turnDetection.silenceDurationMs : MAX_SILENCE_MS
    const restMs = endMs - known.endMs
    return Math.abs(known.startMs - startMs) <= SAME_MS && restMs >= -SAME_MS && restMs <= silenceMs + SAME_MS
  }

  return {
    async follow(startMs) {
      if (!stages.facts.transcribesLive) return
      const asked = turn
      const call = await listening.call()
      if (asked !== turn || context.signal.aborted) return
      live?.close()
      live = stages.transcribeLive(context.settings.transcription ?? {}, call)
      const { sound } = input()
      live?.hear(sound.read(startMs, sound.endMs))
    },
    hear: (samples) => live?.hear(samples),
    async write({ startMs, endMs }, { signal }) {
      if (live !== undefined) return live.text
      if (!stages.facts.transcribes) return ''
      const asked = turn
      written = undefined
      const call = await listening.call(signal)
      const samples = input().sound.read(startMs, endMs)
      let text = ''
      for await (const part of stages.transcribe(samples, context.settings.transcription ?? {}, call)) {
        if (part.type === 'done') text = part.text
      }
      if (asked === turn) written = { startMs, endMs, text }
      return text
    },
    take(over) {
      const followed = live
      const text = written !== undefined && covers(written, over) ? written.text : undefined
      live = undefined
      forget()
      if (!stages.facts.retranscribes) return { text, live: followed }
      followed?.close()
      return {}
    },
    forget,
  }
}
