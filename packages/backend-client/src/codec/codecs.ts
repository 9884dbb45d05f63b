import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { toBackendError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import type { Method, MethodKind, PartialMessage } from '../method.ts'
import { backendMethods } from '../methods.ts'
import { decodeEmbeddingResult } from './embedding-result.ts'
import { FRAME_HEAD_BYTES, frameMessage, writeFrameHead } from './message-writer.ts'
import { writePredictOptions } from './predict-options.ts'
import { decodeReply } from './reply.ts'
import { decodeTokenizationResponse } from './tokenization-response.ts'

/** Turns the requests of an rpc into bytes, and bytes into its replies. Both throw for a malformed message. */
export interface Codec<Request, Reply> {
  /** Writes a request with its head in front. */
  frame(request: PartialMessage<Request>): Buffer
  decode(bytes: Buffer): Reply
}

/** An rpc with its codec. */
export interface CodedMethod<Request, Reply> {
  readonly path: string
  readonly codec: Codec<Request, Reply>
}

const EMPTY_FRAME = Buffer.alloc(FRAME_HEAD_BYTES)
const { health, predict, predictStream, embedding, tokenizeString } = backendMethods

/** Codecs of our own, by path. Their requests have the bytes of the generated code. */
const OWN_CODECS: ReadonlyMap<string, Codec<unknown, unknown>> = new Map<string, Codec<unknown, unknown>>([
  [health.path, { frame: () => EMPTY_FRAME, decode: decodeReply }],
  [predict.path, { frame: framePredictOptions, decode: decodeReply }],
  [predictStream.path, { frame: framePredictOptions, decode: decodeReply }],
  [embedding.path, { frame: framePredictOptions, decode: decodeEmbeddingResult }],
  [tokenizeString.path, { frame: framePredictOptions, decode: decodeTokenizationResponse }],
])

/** Gives a method its codec: one of our own on the main path, else the generated code. */
export function toCodedMethod(method: Method<MethodKind, unknown, unknown>): CodedMethod<unknown, unknown> {
  return { path: method.path, codec: OWN_CODECS.get(method.path) ?? toGeneratedCodec(method) }
}

/**
 * Writes a request with its head in front.
 *
 * @throws `backend_error` (internal) for a value that the message cannot hold, `message_too_large` (too_large)
 */
export function frameRequest<Request>(
  { path, codec }: CodedMethod<Request, unknown>,
  request: PartialMessage<Request>,
  maxMessageBytes: number,
): Buffer {
  const frame = writeFrame()
  if (frame.length <= FRAME_HEAD_BYTES + maxMessageBytes) return frame
  const details = `a message cannot be larger than ${maxMessageBytes}`
  throw toBackendError({ code: GRPC.RESOURCE_EXHAUSTED, details, cause: new Error(details) }, { path, maxMessageBytes })

  function writeFrame(): Buffer {
    try {
      return codec.frame(request)
    } catch (cause) {
      const details = `the request cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      throw toBackendError({ code: GRPC.INTERNAL, details, cause }, { path, maxMessageBytes })
    }
  }
}

function toGeneratedCodec<Request, Reply>({
  request: type,
  reply,
}: Method<MethodKind, Request, Reply>): Codec<Request, Reply> {
  return {
    frame(request) {
      const writer = new BinaryWriter().raw(new Uint8Array(FRAME_HEAD_BYTES))
      const bytes = type.encode(type.fromPartial(request), writer).finish()
      return writeFrameHead(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    },
    decode: (bytes) => reply.decode(bytes),
  }
}

function framePredictOptions(request: Parameters<typeof writePredictOptions>[1]): Buffer {
  return frameMessage(writePredictOptions, request)
}
