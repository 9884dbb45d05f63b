import type { Route } from '../../../http/route.ts'
import {
  defineInferenceRoute,
  type InferenceRouteInfo,
  type InferenceRouteParts,
  modelQuery,
} from '../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')
const native = () => import('@svc/wire/native')

/** Members that the routes of this file share: forms with a recording. */
const RECORDING = {
  method: 'POST',
  access: 'any',
  family: 'compatible',
  form: true,
  bodyType: 'multipart/form-data',
  scanned: 'media',
  scannedWhen: 'scan_media_prompts',
  tag: 'audio',
  query: modelQuery,
} as const satisfies Partial<InferenceRouteInfo>

const REFUSALS = {
  415: { description: 'The file is neither sound nor film.' },
  501: { description: 'The model cannot do it.' },
}

/** Routes that hear: transcriptions, translations, voice activity, speakers, classes of sound. */
export function hearingRoutes(parts: InferenceRouteParts): Route[] {
  return [
    ...transcriptionRoutes(parts),
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/audio/vad',
        aliases: ['/vad', '/v1/vad'],
        access: 'any',
        feature: 'vad',
        family: 'compatible',
        usecase: 'vad',
        scanned: false,
        tag: 'audio',
        summary: 'Find the parts of a sound with speech',
        query: modelQuery,
        body: async () => (await native()).vadRequest,
        responses: { 200: { description: 'The parts.', schema: async () => (await native()).vadReply } },
      },
      async () => (await import('./vad/format.ts')).vadFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...RECORDING,
        path: '/v1/audio/diarization',
        aliases: ['/audio/diarization'],
        feature: 'audio_diarization',
        usecase: 'diarization',
        summary: 'Tell the speakers of a recording apart',
        body: async () => (await native()).diarizationForm,
        responses: {
          200: { description: 'The parts by speaker.', schema: async () => (await native()).diarizationReply },
          ...REFUSALS,
        },
      },
      async () => (await import('./diarization/format.ts')).diarizationFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...RECORDING,
        path: '/v1/audio/classification',
        aliases: ['/audio/classification'],
        feature: 'audio_classification',
        usecase: 'sound_classification',
        summary: 'Name the sounds of a recording',
        body: async () => (await native()).soundClassificationForm,
        responses: {
          200: { description: 'The best class first.', schema: async () => (await native()).soundClassificationReply },
          ...REFUSALS,
        },
      },
      async () => (await import('./classification/format.ts')).soundClassificationFormat,
      parts,
    ),
  ]
}

function transcriptionRoutes(parts: InferenceRouteParts): Route[] {
  const responses = {
    200: {
      description: 'The transcript in the form of `response_format`, or its events with `stream`.',
      schema: async () => (await wire()).transcriptionReply,
    },
    ...REFUSALS,
  }
  return [
    defineInferenceRoute(
      {
        ...RECORDING,
        path: '/v1/audio/transcriptions',
        aliases: ['/audio/transcriptions'],
        feature: 'audio_transcription',
        usecase: 'transcript',
        summary: 'Write down what is said',
        body: async () => (await wire()).transcriptionForm,
        responses,
      },
      async () => (await import('./transcriptions/format.ts')).transcriptionFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...RECORDING,
        path: '/v1/audio/translations',
        aliases: ['/audio/translations'],
        feature: 'audio_transcription',
        usecase: 'transcript',
        summary: 'Write down in English what is said',
        body: async () => (await wire()).translationForm,
        responses,
      },
      async () => (await import('./transcriptions/format.ts')).translationFormat,
      parts,
    ),
  ]
}
