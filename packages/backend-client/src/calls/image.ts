import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Images, video and scenes. */
export const imageMethods = {
  /** Writes an image to dst. */
  generateImage: unary(fullName, methods.generateImage),
  /** Enlarges the image in src into dst. */
  upscaleImage: unary(fullName, methods.upscaleImage),
  /** Writes a video to dst. */
  generateVideo: unary(fullName, methods.generateVideo),
  /** Writes a .glb scene made from the image in src to dst. */
  generate3D: unary(fullName, methods.generate3D),
} as const
