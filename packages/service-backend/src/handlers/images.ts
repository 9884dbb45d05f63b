import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { readEdit, toBase64, toDataUrl, writeOutput } from '../files.ts'
import type { ServiceHost } from '../host.ts'

type ImageHandlers = Pick<
  BackendHandlers,
  'generateImage' | 'upscaleImage' | 'generateVideo' | 'generate3D' | 'detect' | 'depth'
>

const MADE = { success: true, message: 'made' }

/** GenerateImage, UpscaleImage, GenerateVideo, Generate3D, Detect and Depth. */
export function createImageHandlers(host: ServiceHost): ImageHandlers {
  return {
    generateImage: async (request, context) => {
      const { ModelIdentity, positivePrompt: prompt, negativePrompt, width, height, step: steps, seed, dst } = request
      const service = host.use(ModelIdentity)
      const edit = await readEdit(request.src)
      // The first two references of an edit are its image and its mask.
      const others = edit === undefined ? request.refImages : request.refImages.slice(2)
      const references = await Promise.all(others.map(toBase64))
      const source = edit === undefined ? await toBase64(request.src) : undefined
      const input = { prompt, negativePrompt, width, height, steps, seed, source, edit, references }
      await writeOutput(dst, await service.makeImage(input, toCall(context)))
      return MADE
    },
    upscaleImage: async ({ src, dst, scale }, context) => {
      const service = host.use('')
      await writeOutput(dst, await service.upscaleImage({ image: await toBase64(src), scale }, toCall(context)))
      return MADE
    },
    generateVideo: async (request, context) => {
      const { ModelIdentity, dst, step: steps, numFrames: frames, fps: framesPerSecond, ...rest } = request
      const service = host.use(ModelIdentity)
      const startImage = await toBase64(rest.startImage)
      const endImage = await toBase64(rest.endImage)
      const audio = await toBase64(rest.audio)
      const input = { ...rest, startImage, endImage, audio, steps, frames, framesPerSecond }
      await writeOutput(dst, await service.makeVideo(input, toCall(context)))
      return MADE
    },
    generate3D: async ({ src, dst, step: steps, ...rest }, context) => {
      const service = host.use('')
      await writeOutput(dst, await service.makeShape({ ...rest, image: await toBase64(src), steps }, toCall(context)))
      return MADE
    },
    detect: async ({ ModelIdentity, src, prompt, points, boxes, threshold }, context) => {
      const service = host.use(ModelIdentity)
      const found = await service.detect(
        { image: await toDataUrl(src), prompt, points, boxes, threshold },
        toCall(context),
      )
      return { Detections: found.map(({ mask, ...thing }) => ({ ...thing, mask: Buffer.from(mask) })) }
    },
    depth: async ({ ModelIdentity, src, dst: _none, pointsConfThresh, ...rest }, context) => {
      const service = host.use(ModelIdentity)
      const image = await toDataUrl(src)
      const map = await service.measureDepth(
        { ...rest, image, pointsConfidenceThreshold: pointsConfThresh },
        toCall(context),
      )
      return {
        ...map,
        depth: [...map.depth],
        confidence: [...map.confidence],
        sky: [...map.sky],
        extrinsics: [...map.extrinsics],
        intrinsics: [...map.intrinsics],
        points: [...map.points],
        pointColors: Buffer.from(map.pointColors),
      }
    },
  }
}
