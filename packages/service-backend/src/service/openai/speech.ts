import type { SpeechInput } from '../speech.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from '../transport.ts'
import { readWavHead, type SpeechPiece } from '../wav-head.ts'

const PATH = '/v1/audio/speech'
/** The voice where neither the request nor the model file names one: providers refuse a request without. */
const DEFAULT_VOICE = 'alloy'

/** Synthesizes speech as a WAV file. */
export async function speakAtProvider(
  transport: ServiceTransport,
  input: SpeechInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  return (await transport.fetch(PATH, { json: toBody(transport, input) }, { ...call, streams: false })).body
}

/** Streams synthesized speech. */
export async function* streamFromProvider(
  transport: ServiceTransport,
  input: SpeechInput,
  call: ServiceCall,
): AsyncGenerator<SpeechPiece, void, undefined> {
  const { body } = await transport.fetch(PATH, { json: toBody(transport, input) }, { ...call, streams: true })
  yield* readWavHead(body)
}

/** Of the further settings providers know the speed alone. */
function toBody({ target }: ServiceTransport, { text, voice, instructions, params }: SpeechInput) {
  const speed = Number(params.speed ?? '')
  return {
    model: target.model,
    input: text,
    voice: voice || DEFAULT_VOICE,
    response_format: 'wav',
    ...dropZeros({ instructions, speed: Number.isFinite(speed) ? speed : 0 }),
  }
}
