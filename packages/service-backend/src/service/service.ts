import type { Upstream } from '@svc/http-client'
import { transformAudio } from './audio-transform.ts'
import { countTokens } from './count.ts'
import { diarize } from './diarization.ts'
import { analyzeFaces, verifyFaces } from './faces.ts'
import { makeImage, makeShape, makeVideo, upscaleImage } from './images.ts'
import { type LiveClock, type LiveInput, type OpenLiveSocket, transcribeLive } from './live-transcription.ts'
import { listModels } from './models.ts'
import { createProviderMethods } from './openai/methods.ts'
import { predict, predictStream } from './predict.ts'
import { readPrompt } from './prompt-logprobs.ts'
import { classifySound } from './sound-classification.ts'
import { makeSound, speak, speakStream } from './speech.ts'
import { unsupported } from './status.ts'
import { storesDelete, storesFind, storesGet, storesSet } from './stores.ts'
import type { ServiceTarget } from './target.ts'
import { detokenize, embed, embedStart, rerank, score, tokenize } from './text.ts'
import { transcribe, transcribeStream } from './transcription.ts'
import { createTransport, type ServiceCall, type ServiceTransport } from './transport.ts'
import { detectSpeech } from './vad.ts'
import { detect, measureDepth } from './vision.ts'
import { analyzeVoice, embedVoice, verifyVoices } from './voices.ts'

/**
 * All methods that are forwarded to another instance. Other methods have no route there: they are not implemented, and
 * a failover group skips this target for them.
 */
const METHODS = {
  predict,
  predictStream,
  readPrompt,
  embed,
  embedStart,
  rerank,
  tokenize,
  detokenize,
  countTokens,
  score,
  speak,
  speakStream,
  makeSound,
  transcribe,
  transcribeStream,
  diarize,
  detectSpeech,
  classifySound,
  transformAudio,
  makeImage,
  upscaleImage,
  makeVideo,
  makeShape,
  detect,
  measureDepth,
  verifyFaces,
  analyzeFaces,
  verifyVoices,
  analyzeVoice,
  embedVoice,
  storesSet,
  storesDelete,
  storesGet,
  storesFind,
}

/** Options of {@link createService}. */
export interface ServiceOptions {
  readonly target: ServiceTarget
  readonly upstream: Pick<Upstream, 'send'>
  /** Opens sockets for live transcription, which is not implemented without it. */
  readonly live?: { readonly open: OpenLiveSocket; readonly clock: LiveClock } | undefined
}

type Forwarded<Method> = Method extends (
  transport: ServiceTransport,
  input: infer Input,
  call: ServiceCall,
) => infer Reply
  ? (input: Input, call: ServiceCall) => Reply
  : never

type Methods = { readonly [Name in keyof typeof METHODS]: Forwarded<(typeof METHODS)[Name]> }

/**
 * A model of another instance. A call fails in one of the classes of §6.5: `not_implemented` (skip this target),
 * `unavailable` (it is down), `rate_limited` (it rests for `retryAfterMs`), `invalid_request` (ask no other target); or
 * with `timeout`, `cancelled`, and `internal` for an unreadable reply.
 */
export interface Service extends Methods {
  /** Downloads from an address of the instance, such as a part of transformed audio. */
  download(url: URL, call: ServiceCall): Promise<AsyncIterable<Uint8Array>>
  /** Lists the names of the instance's models. */
  models(call: ServiceCall): Promise<readonly string[]>
  transcribeLive(inputs: AsyncIterable<LiveInput>, call: Pick<ServiceCall, 'signal'>): ReturnType<typeof transcribeLive>
}

/**
 * Forwards calls on a model to another instance.
 *
 * @example
 * const service = createService({ target, upstream })
 * const tokens = await service.tokenize('Hello', { signal })
 */
export function createService({ target, upstream, live }: ServiceOptions): Service {
  const transport = createTransport(target, upstream)
  const bound = Object.entries(METHODS).map(([name, method]) => [name, bind(method as AnyMethod, transport)])
  return {
    ...(Object.fromEntries(bound) as Methods),
    ...(target.api === 'openai' ? createProviderMethods(transport) : {}),
    models: (call) => listModels(transport, call),
    download: async (url, call) => (await transport.get(url, call)).body,
    transcribeLive: (inputs, call) => {
      if (live === undefined) throw unsupported('live transcription')
      return transcribeLive({ target, ...live }, inputs, call)
    },
  }
}

type AnyMethod = (transport: ServiceTransport, input: unknown, call: ServiceCall) => unknown

function bind(method: AnyMethod, transport: ServiceTransport): (input: unknown, call: ServiceCall) => unknown {
  return (input, call) => method(transport, input, call)
}
