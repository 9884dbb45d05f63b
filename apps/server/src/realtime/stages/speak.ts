import { createReadStream } from 'node:fs'
import { decodeAudio } from '@svc/audio'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { SpeakRequest, SpeakResult } from '../../inference/operations/audio/audio-operations.ts'
import type { MadeSpeech, StageCall } from '../ports.ts'
import { createSoundReader } from '../session/sound-format.ts'
import type { PartAsker } from './ask-part.ts'
import type { HandOver } from './hand-over.ts'

/** Samples a second of speech that comes as a file. */
const FILE_RATE = 24_000

/** How a text is spoken. */
export interface SpeakingOptions {
  readonly voice?: string | undefined
  readonly speed?: number | undefined
}

/** Speaks a text; resolves with the first sound. */
export type Speaking = (text: string, options: SpeakingOptions, call: StageCall) => Promise<MadeSpeech>

/** The rate of the samples, then the samples. */
type SpeechPart = number | Float32Array

/** Creates the stage. A model that cannot stream makes files from then on. */
export function createSpeaking({
  asker,
  findModel,
  streams,
}: {
  readonly asker: PartAsker
  readonly findModel: () => ModelConfig
  /** Whether the sound is asked for while it is made (`pipeline.streaming.tts`). */
  readonly streams: boolean
}): Speaking {
  let canStream = streams
  async function ask(request: SpeakRequest, call: StageCall): Promise<MadeSpeech> {
    const { signal } = call
    const parts = asker.follow<'speak', SpeechPart>(
      request,
      { model: findModel(), usecase: 'tts', read: (result, give) => giveSound(result, give, signal) },
      call,
    )
    const first = await parts.next()
    if (first.done === true) throw new SvcError('internal', 'the model made no sound', { code: 'no_sound' })
    return { sampleRate: first.value as number, samples: parts as AsyncIterable<Float32Array> }
  }
  return async (text, { voice, speed }, call) => {
    const request = {
      kind: 'speak',
      text,
      voice: voice || undefined,
      params: speed === undefined || speed === 1 ? {} : { speed: `${speed}` },
    } as const
    if (!canStream) return ask({ ...request, stream: false }, call)
    try {
      return await ask({ ...request, stream: true }, call)
    } catch (error) {
      if (!SvcError.is(error) || error.code !== 'no_speech_stream') throw error
      canStream = false
      return ask({ ...request, stream: false }, call)
    }
  }
}

async function giveSound(
  { live, sound, sampleRate }: SpeakResult,
  give: HandOver<SpeechPart>,
  signal: AbortSignal,
): Promise<void> {
  if (live !== undefined) {
    await give(sampleRate)
    const reader = createSoundReader({ type: 'audio/pcm', rate: sampleRate })
    for await (const piece of live) {
      const samples = reader.read(piece)
      if (samples.length > 0) await give(samples)
    }
  }
  if (sound === undefined) return
  await give(FILE_RATE)
  for await (const samples of decodeAudio(createReadStream(sound.path), { sampleRate: FILE_RATE, signal })) {
    await give(samples)
  }
}
