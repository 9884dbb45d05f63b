import type { Fields } from '@svc/proxy/replies'
import { unsupported } from './status.ts'
import { type ServiceCall, type ServiceTransport, withoutZeros } from './transport.ts'
import { readWavHead, type SpeechPiece } from './wav-head.ts'

/** What to say, and how. Empty values mean that nothing is said about it. */
export interface SpeechInput {
  readonly text: string
  /** A voice of the instance; the local path of a voice profile goes as it is (§6.5). */
  readonly voice: string
  readonly language?: string | undefined
  readonly instructions?: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Speech as a file of sound. */
export async function speak(
  transport: ServiceTransport,
  input: SpeechInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const json = speechBody(transport, input)
  return (await transport.fetch('/tts', { json }, { ...call, streams: false })).body
}

/**
 * Speech as it is made. A synthesis that fails but ends its stream cleanly cannot be told from one that is whole (§6.5).
 */
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
  return { model: target.model, input: text, ...withoutZeros({ voice, language, instructions, params }) }
}

/** Sound to make of words. Absent values mean that nothing is said about them. */
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
  /** A file to start from: no route takes one (§6.5). */
  readonly source?: string | undefined
}

/**
 * Sound as a file.
 *
 * @throws {SvcError} `not_implemented` with a file to start from
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

/** What is absent was not said; a zero that is there was. */
function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}
