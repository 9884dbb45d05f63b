import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { LiveTranscriptPart } from '../../inference/operations/audio/audio-operations.ts'
import { HEARD_RATE, type HeardPart, type LiveTranscription, type StageCall } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'
import type { StageTimes } from './stage-times.ts'
import type { HearingOptions, Transcriber } from './transcribe.ts'

/** Sound that may wait for the model, samples: half a minute. */
const MAX_WAITING = 30 * HEARD_RATE
/** Sound that is kept for a model that cannot follow it, samples: the longest turn. */
const MAX_KEPT = 90 * HEARD_RATE
/** Parts of the text that may wait for their reader. */
const MAX_PARTS = 10_000

/** Options of {@link createLiveTranscriber}. */
export interface LiveTranscriberOptions {
  readonly asker: PartAsker
  readonly findModel: () => ModelConfig
  readonly times: StageTimes
  /** Writes down the sound where the model cannot follow it. */
  readonly transcribe: Transcriber
  /** Told when the model cannot do this, so that it is not asked again. */
  readonly onUnable: () => void
}

/** Creates the stage that writes down sound while it is heard. A failure comes with {@link LiveTranscription.end}. */
export function createLiveTranscriber({
  asker,
  findModel,
  times,
  transcribe,
  onUnable,
}: LiveTranscriberOptions): (options: HearingOptions, call: StageCall) => LiveTranscription {
  return (options, call) => {
    const { language } = options
    const kept = createKeptSound()
    const sound = createSoundQueue()
    const left = new AbortController()
    const parts = createPartQueue()
    const request = {
      kind: 'transcribe-live',
      sampleRate: HEARD_RATE,
      language: language || undefined,
      sound: sound.read(),
    } as const
    const running = read()

    async function read(): Promise<void> {
      const signal = AbortSignal.any([call.signal, left.signal])
      try {
        const asked = asker.follow<'transcribe-live', LiveTranscriptPart>(
          request,
          {
            model: findModel(),
            usecase: 'transcript',
            async read({ live }, give) {
              for await (const part of live) await give(part)
            },
          },
          { ...call, signal },
        )
        for await (const part of asked) {
          kept.drop()
          parts.add(part)
        }
        parts.end()
      } catch (error) {
        const isUnable = SvcError.is(error) && error.code === 'no_live_transcription'
        if (isUnable) onUnable()
        else kept.drop()
        parts.end(error)
      } finally {
        sound.close()
      }
    }

    async function* finish(): AsyncGenerator<HeardPart> {
      sound.end()
      try {
        yield* parts.read()
      } catch (error) {
        const samples = kept.take()
        if (samples === undefined) throw error
        yield* transcribe(samples, options, call)
      }
      await running
    }

    return {
      hear(samples) {
        sound.add(samples)
        kept.add(samples)
      },
      get text() {
        return parts.text
      },
      end: () => times.all('transcription', finish()),
      close() {
        left.abort(new SvcError('cancelled', 'the transcription was dropped', { code: 'cancelled' }))
        sound.close()
        kept.drop()
        parts.end()
      },
    }
  }
}

/** The sound of a turn, until the model is known to follow it. The oldest goes first beyond the longest turn. */
function createKeptSound() {
  let pieces: Float32Array[] | undefined = []
  let size = 0
  return {
    add(samples: Float32Array): void {
      if (pieces === undefined) return
      pieces.push(samples)
      size += samples.length
      while (size > MAX_KEPT) size -= pieces.shift()?.length ?? size
    },
    drop(): void {
      pieces = undefined
    },
    take(): Float32Array | undefined {
      if (pieces === undefined) return undefined
      const all = new Float32Array(size)
      let at = 0
      for (const piece of pieces) {
        all.set(piece, at)
        at += piece.length
      }
      pieces = undefined
      return all
    },
  }
}

/** Sound on its way to the model. More than a bound is dropped from the front: the model is too slow for it. */
function createSoundQueue() {
  const waiting: Float32Array[] = []
  let size = 0
  let isEnded = false
  let wake = (): void => undefined
  return {
    add(samples: Float32Array): void {
      if (isEnded || samples.length === 0) return
      waiting.push(samples)
      size += samples.length
      while (size > MAX_WAITING) size -= waiting.shift()?.length ?? size
      wake()
    },
    end(): void {
      isEnded = true
      wake()
    },
    close(): void {
      isEnded = true
      waiting.length = 0
      size = 0
      wake()
    },
    async *read(): AsyncGenerator<Float32Array> {
      for (;;) {
        const samples = waiting.shift()
        if (samples !== undefined) {
          size -= samples.length
          yield samples
        } else if (isEnded) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

/** Parts of a text, and the text so far. */
function createPartQueue() {
  const waiting: HeardPart[] = []
  let text = ''
  let failure: { readonly error: unknown } | undefined
  let isEnded = false
  let wake = (): void => undefined
  return {
    get text() {
      return text
    },
    add(part: LiveTranscriptPart): void {
      if (part.type === 'utterance-end') return
      if (part.type === 'delta') text += part.text
      if (waiting.length < MAX_PARTS || part.type === 'done')
        waiting.push(part.type === 'done' ? { ...part, text: part.text.trim() } : part)
      wake()
    },
    end(...errors: readonly [unknown?]): void {
      if (isEnded) return
      isEnded = true
      if (errors.length > 0) failure = { error: errors[0] }
      wake()
    },
    async *read(): AsyncGenerator<HeardPart> {
      for (;;) {
        const part = waiting.shift()
        if (part !== undefined) yield part
        else if (failure !== undefined) throw failure.error
        else if (isEnded) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
