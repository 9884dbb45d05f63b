import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import {
  defineInferenceRoute,
  type InferenceRouteInfo,
  type InferenceRouteParts,
  modelQuery,
  serveCall,
  serveWithoutBody,
} from '../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')
const native = () => import('@svc/wire/native')
const vendor = () => import('@svc/wire/elevenlabs')

/** Members that the routes of this file share. */
const SPEAKING = {
  method: 'POST',
  access: 'any',
  scanned: 'media',
  scannedWhen: 'scan_media_prompts',
  tag: 'audio',
} as const satisfies Partial<InferenceRouteInfo>

const VENDOR = {
  ...SPEAKING,
  family: 'vendor',
  query: async () => (await vendor()).soundQuery,
} as const satisfies Partial<InferenceRouteInfo>

const REFUSALS = {
  415: { description: 'The sound format needs a program that is not installed.' },
  501: { description: 'The model cannot do it.' },
}

const SOUND = { description: 'The sound in the format of `output_format`.', contentType: 'audio/*' }

/** Routes that make sound: speech, and sounds in the format of the audio vendor. */
export function speakingRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        ...SPEAKING,
        path: '/v1/audio/speech',
        aliases: ['/audio/speech', '/tts'],
        family: 'compatible',
        feature: 'audio_speech',
        usecase: 'tts',
        summary: 'Speak a text',
        query: modelQuery,
        body: async () => (await wire()).speechRequest,
        responses: {
          200: {
            description: 'The sound in the format of `response_format`, or its events with `stream_format: sse`.',
            contentType: 'audio/*',
          },
          ...REFUSALS,
        },
      },
      async () => (await import('./speech/format.ts')).speechFormat,
      parts,
    ),
    ...[false, true].map((stream) => voiceRoute(parts, stream)),
    soundRoute(parts),
    voicesRoute(parts),
  ]
}

/** Lists the voices of a model, which is loaded for that. */
function voicesRoute(parts: InferenceRouteParts): Route {
  const info: InferenceRouteInfo = {
    method: 'GET',
    path: '/v1/voices',
    aliases: ['/v1/audio/voices'],
    access: 'any',
    family: 'compatible',
    feature: 'audio_speech',
    tag: 'audio',
    usecase: 'tts',
    scanned: false,
    summary: 'List the voices of a model',
    query: modelQuery,
    responses: {
      200: { description: 'The voices, the default one first.', schema: async () => (await native()).voicesReply },
      501: { description: 'The backend of the model does not list voices.' },
    },
  }
  return {
    ...info,
    async handler(call) {
      const { voicesFormat } = await import('./voices/format.ts')
      return serveWithoutBody(call, voicesFormat, parts)
    },
  }
}

const readOutputFormat = (call: Call): string | undefined => call.query('output_format')

function voiceRoute(parts: InferenceRouteParts, stream: boolean): Route {
  const info: InferenceRouteInfo = {
    ...VENDOR,
    path: stream ? '/v1/text-to-speech/:voice_id/stream' : '/v1/text-to-speech/:voice_id',
    feature: 'audio_speech',
    usecase: 'tts',
    summary: stream ? 'Speak a text with a voice, while it is made' : 'Speak a text with a voice',
    body: async () => (await vendor()).voiceSpeechRequest,
    responses: { 200: SOUND, ...REFUSALS },
  }
  return {
    ...info,
    async handler(call) {
      const { createVoiceSpeechFormat } = await import('./vendor/formats.ts')
      const address = { voice: call.param('voice_id'), outputFormat: readOutputFormat(call), stream }
      return serveCall(call, createVoiceSpeechFormat(address), parts)
    },
  }
}

function soundRoute(parts: InferenceRouteParts): Route {
  const info: InferenceRouteInfo = {
    ...VENDOR,
    path: '/v1/sound-generation',
    feature: 'sound',
    usecase: 'sound_generation',
    summary: 'Make a sound or music',
    body: async () => (await vendor()).soundGenerationRequest,
    responses: { 200: SOUND, ...REFUSALS },
  }
  return {
    ...info,
    async handler(call) {
      const { createSoundFormat } = await import('./vendor/formats.ts')
      return serveCall(call, createSoundFormat({ outputFormat: readOutputFormat(call) }), parts)
    },
  }
}
