import {
  BackendService,
  DepthRequest,
  DepthResponse,
  DetectOptions,
  DetectResponse,
  FaceAnalyzeRequest,
  FaceAnalyzeResponse,
  FaceVerifyRequest,
  FaceVerifyResponse,
} from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Objects, faces and people in images. */
export const detectMethods = {
  /** Finds objects in an image. */
  detect: unary(BackendService.detect, DetectOptions, DetectResponse),
  /** Estimates depth from one image. */
  depth: unary(BackendService.depth, DepthRequest, DepthResponse),
  /** Whether two images show the same face. */
  faceVerify: unary(BackendService.faceVerify, FaceVerifyRequest, FaceVerifyResponse),
  /** Attributes of the faces in an image. */
  faceAnalyze: unary(BackendService.faceAnalyze, FaceAnalyzeRequest, FaceAnalyzeResponse),
} as const
