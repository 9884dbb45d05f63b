import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'
import type { ImageStore } from './image-reply.ts'

const wire = () => import('@svc/wire/openai')

/** Parts of the routes. */
export interface ImageRouteParts extends InferenceRouteParts {
  readonly generatedFiles: ImageStore
}

const common = {
  method: 'POST',
  access: 'any',
  family: 'compatible',
  scanned: 'media',
  scannedWhen: 'scan_media_prompts',
  tag: 'inference',
  query: modelQuery,
} as const
const images = { ...common, feature: 'images', usecase: 'image' } as const
const form = { form: true, bodyType: 'multipart/form-data' } as const
const listed = { description: 'The images, in order.', schema: async () => (await wire()).imageList }

/** Routes that make and enlarge images, make films, and find objects in images. */
export function imageRoutes({ generatedFiles, ...parts }: ImageRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        ...images,
        path: '/v1/images/generations',
        aliases: ['/images/generations'],
        summary: 'Make images from a text',
        body: async () => (await wire()).imageRequest,
        responses: { 200: listed },
      },
      async () => (await import('./generation-format.ts')).createGenerationFormat(generatedFiles),
      parts,
    ),
    defineInferenceRoute(
      {
        ...images,
        ...form,
        path: '/v1/images/edits',
        aliases: ['/images/edits', '/v1/images/inpainting'],
        summary: 'Fill in a part of an image',
        body: async () => (await wire()).imageEditForm,
        responses: { 200: listed, 400: { description: '`image` or `mask` is missing.' } },
      },
      async () => (await import('./edit-format.ts')).createEditFormat(generatedFiles),
      parts,
    ),
    defineInferenceRoute(
      {
        ...images,
        ...form,
        path: '/v1/images/upscale',
        summary: 'Enlarge an image',
        body: async () => (await wire()).imageUpscaleForm,
        responses: { 200: listed },
      },
      async () => (await import('./upscale-format.ts')).createUpscaleFormat(generatedFiles),
      parts,
    ),
    defineInferenceRoute(
      {
        ...common,
        path: '/v1/video/generations',
        aliases: ['/video'],
        feature: 'video',
        usecase: 'video',
        summary: 'Make a film from a text',
        body: async () => (await wire()).videoRequest,
        responses: { 200: { description: 'The film.', schema: async () => (await wire()).videoList } },
      },
      async () => (await import('./video-format.ts')).createVideoFormat(generatedFiles),
      parts,
    ),
    defineInferenceRoute(
      {
        ...common,
        path: '/v1/detection',
        feature: 'detection',
        usecase: 'detection',
        summary: 'Find objects in an image',
        body: async () => (await wire()).detectionRequest,
        responses: { 200: { description: 'The objects.', schema: async () => (await wire()).detectionList } },
      },
      async () => (await import('./detection-format.ts')).detectionFormat,
      parts,
    ),
  ]
}
