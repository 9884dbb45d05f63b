import { createReadStream } from 'node:fs'
import { decodeAudio } from '@svc/audio'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { SpeakRequest, SpeakResult } from '../../inference/operations/audio/audio-operations.ts'
import { fromPcm16 } from '../../inference/operations/audio/pcm16.ts'
import type { MadeSpeech, StageCall } from '../ports.ts'
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
    for await (const samples of toSamples(live)) await give(samples)
  }
  if (sound === undefined) return
  await give(FILE_RATE)
  for await (const samples of decodeAudio(createReadStream(sound.path), { sampleRate: FILE_RATE, signal })) {
    await give(samples)
  }
}

/** Converts pieces of any length: a sample may begin in one and end in the next. */
async function* toSamples(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Float32Array> {
  let left = Buffer.alloc(0)
  for await (const piece of pieces) {
    const bytes = left.length === 0 ? piece : Buffer.concat([left, piece])
    const whole = bytes.length - (bytes.length % 2)
    left = Buffer.from(bytes.subarray(whole))
    if (whole > 0) yield fromPcm16(bytes.subarray(0, whole))
  }
}
