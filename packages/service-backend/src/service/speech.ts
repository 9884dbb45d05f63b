import type { Fields } from '@svc/proxy/replies'
import { unsupported } from './status.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'
import { readWavHead, type SpeechPiece } from './wav-head.ts'

/** Text to speak, and options. Empty values are left out. */
export interface SpeechInput {
  readonly text: string
  /** A voice of the instance; the local path of a voice profile is sent as it is (§6.5). */
  readonly voice: string
  readonly language?: string | undefined
  readonly instructions?: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Synthesizes speech as an audio file. */
export async function speak(
  transport: ServiceTransport,
  input: SpeechInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const json = speechBody(transport, input)
  return (await transport.fetch('/tts', { json }, { ...call, streams: false })).body
}

/** Streams synthesized speech. A synthesis that fails but ends its stream cleanly looks complete (§6.5). */
export async function* speakStream(
  transport: ServiceTransport,
  input: SpeechInput,
  call: ServiceCall,
): AsyncGenerator<SpeechPiece, void, undefined> {
  const json = { ...speechBody(transport, input), stream: true }
  const { body } = await transport.fetch('/tts', { json }, { ...call, streams: true })
  yield* readWavHead(body)
}

function speechBody({ target }: ServiceTransport, input: SpeechInput): Fields {
  const { text, voice, language, instructions, params } = input
  return { model: target.model, input: text, ...dropZeros({ voice, language, instructions, params }) }
}

/** A sound to generate from text. Absent values are left out. */
export interface SoundInput {
  readonly text: string
  /** Seconds. */
  readonly duration?: number | undefined
  readonly temperature?: number | undefined
  readonly sample?: boolean | undefined
  readonly think?: boolean | undefined
  readonly caption?: string | undefined
  readonly lyrics?: string | undefined
  readonly bpm?: number | undefined
  readonly keyscale?: string | undefined
  readonly language?: string | undefined
  readonly timesignature?: string | undefined
  readonly instrumental?: boolean | undefined
  /** A source file: no route takes one (§6.5). */
  readonly source?: string | undefined
}

/**
 * Generates a sound file.
 *
 * @throws {SvcError} `not_implemented` with a source file
 */
export async function makeSound(
  transport: ServiceTransport,
  input: SoundInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const { text, duration, temperature, sample, source, ...rest } = input
  if (source !== undefined && source !== '') throw unsupported('sound generation from a source file')
  const json = {
    model_id: transport.target.model,
    text,
    ...defined({ duration_seconds: duration, prompt_influence: temperature, do_sample: sample, ...rest }),
  }
  const reply = await transport.fetch('/v1/sound-generation', { json }, { ...call, streams: false })
  return reply.body
}

/** Drops absent values; a given zero stays. */
function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}
