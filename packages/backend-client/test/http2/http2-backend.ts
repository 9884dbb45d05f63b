import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import { encodeMessage, type MessageType, Reply } from '../../src/proto.ts'

/** A stream of a call and the headers it came with. */
export type OnCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void

/** A backend made of HTTP/2 and nothing else, so that a test decides about every frame. */
export interface Http2Backend extends AsyncDisposable {
  readonly address: string
  /** The connections so far, closed ones included. */
  readonly sessions: readonly ServerHttp2Session[]
  /** Cuts every connection. */
  cut(): void
}

/** Starts a backend whose answers `onCall` sends. */
export async function startHttp2Backend(onCall: OnCall, settings: Settings = {}): Promise<Http2Backend> {
  const sessions: ServerHttp2Session[] = []
  const server = createServer({ maxSessionMemory: 4096, settings })
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    onCall(stream, headers)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const cut = () => {
    for (const session of sessions) session.destroy()
  }
  return {
    address: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`,
    sessions,
    cut,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Headers of a good reply. */
export const GRPC_HEADERS: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc+proto' }

/** A message with its head in front. */
export function frame(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

/** Bytes of a reply with this text. */
export function replyBytes(text: string | Buffer): Buffer {
  const type: MessageType<Reply> = Reply
  return encodeMessage(type, type.fromPartial({ message: Buffer.from(text) }))
}

/** A reply in its frame. */
export function replyFrame(text: string | Buffer): Buffer {
  return frame(replyBytes(text))
}

/** Begins a reply that ends with these trailers once the stream is ended. */
export function beginReply(
  stream: ServerHttp2Stream,
  trailers: OutgoingHttpHeaders = { 'grpc-status': '0' },
  headers: OutgoingHttpHeaders = {},
): void {
  stream.resume()
  stream.respond({ ...GRPC_HEADERS, ...headers }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
}

/** Answers one message and ends well. */
export function answerWell(stream: ServerHttp2Stream, text = 'OK'): void {
  beginReply(stream)
  stream.end(replyFrame(text))
}

/** Resolves with the code that a stream was reset with. */
export function resetCode(stream: ServerHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    const tell = () => resolve(stream.rstCode ?? constants.NGHTTP2_NO_ERROR)
    if (stream.destroyed) tell()
    else stream.once('close', tell)
  })
}
