import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Objects, faces and people in images. */
export const detectMethods = {
  /** Finds objects in an image. */
  detect: unary(fullName, methods.detect),
  /** Estimates depth from one image. */
  depth: unary(fullName, methods.depth),
  /** Whether two images show the same face. */
  faceVerify: unary(fullName, methods.faceVerify),
  /** Attributes of the faces in an image. */
  faceAnalyze: unary(fullName, methods.faceAnalyze),
} as const
