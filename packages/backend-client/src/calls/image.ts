import {
  BackendService,
  Generate3DRequest,
  GenerateImageRequest,
  GenerateVideoRequest,
  Result,
  UpscaleImageRequest,
} from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Images, video and scenes. */
export const imageMethods = {
  /** Writes an image to dst. */
  generateImage: unary(BackendService.generateImage, GenerateImageRequest, Result),
  /** Enlarges the image in src into dst. */
  upscaleImage: unary(BackendService.upscaleImage, UpscaleImageRequest, Result),
  /** Writes a video to dst. */
  generateVideo: unary(BackendService.generateVideo, GenerateVideoRequest, Result),
  /** Writes a .glb scene made from the image in src to dst. */
  generate3D: unary(BackendService.generate3D, Generate3DRequest, Result),
} as const
