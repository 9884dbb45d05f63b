import type { EmbeddingResult, PredictOptions, Reply, TokenizationResponse } from '../gen/backend.ts'
import type { PartialMessage } from '../method.ts'
import { backendMethods } from '../methods.ts'
import { decodeEmbeddingResult } from './embedding-result.ts'
import { FRAME_HEAD_BYTES, frameMessage } from './framed.ts'
import { writePredictOptions } from './predict-options.ts'
import { decodeReply } from './reply.ts'
import { decodeTokenizationResponse } from './tokenization-response.ts'

/** An rpc with functions of its own for the bytes of its messages. */
export interface LeanMethod<Kind extends 'unary' | 'server-stream', Request, Answer> {
  readonly kind: Kind
  readonly path: string
  /** The message with its head in front. */
  readonly frame: (request: PartialMessage<Request>) => Buffer
  readonly decode: (bytes: Buffer) => Answer
}

type OfPredict<Kind extends 'unary' | 'server-stream', Answer> = LeanMethod<Kind, PredictOptions, Answer>

const HEALTH_FRAME = Buffer.alloc(FRAME_HEAD_BYTES)
const framePredictOptions = (request: PartialMessage<PredictOptions>) => frameMessage(writePredictOptions, request)

const health: LeanMethod<'unary', object, Reply> = {
  kind: 'unary',
  path: backendMethods.health.path,
  frame: () => HEALTH_FRAME,
  decode: decodeReply,
}

const predict: OfPredict<'unary', Reply> = {
  kind: 'unary',
  path: backendMethods.predict.path,
  frame: framePredictOptions,
  decode: decodeReply,
}

const predictStream: OfPredict<'server-stream', Reply> = {
  kind: 'server-stream',
  path: backendMethods.predictStream.path,
  frame: framePredictOptions,
  decode: decodeReply,
}

const embedding: OfPredict<'unary', EmbeddingResult> = {
  kind: 'unary',
  path: backendMethods.embedding.path,
  frame: framePredictOptions,
  decode: decodeEmbeddingResult,
}

const tokenizeString: OfPredict<'unary', TokenizationResponse> = {
  kind: 'unary',
  path: backendMethods.tokenizeString.path,
  frame: framePredictOptions,
  decode: decodeTokenizationResponse,
}

/** The rpcs of the main path, by their names in `backendMethods`. */
export const leanMethods = { health, predict, predictStream, embedding, tokenizeString } as const
