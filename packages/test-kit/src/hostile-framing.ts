import { randomBytes } from 'node:crypto'
import { constants, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import { backendMethods } from '@svc/backend-client/proto'
import type { RpcName } from './hostile-backend.ts'
import { HEALTHY, replyMessage, SUCCESS } from './hostile-messages.ts'
import { listenOnFreePort } from './http-server.ts'
import { trackSockets } from './sockets.ts'

/** Ways to break the frames around messages, below the level of a gRPC library. */
export const BROKEN_FRAMINGS = [
  /** Closes every connection at once. */
  'hangs-up',
  /** Accepts connections and never sends a byte. */
  'mute',
  /** Answers in HTTP/1.1. */
  'not-http2',
  /** Answers with random bytes. */
  'noise',
  /** Answers with a web page and status 502. */
  'web-page',
  /** Ends the reply without trailers. */
  'no-trailers',
  /** Ends with a `grpc-status` that is not a number. */
  'odd-status',
  /** Ends well, in the middle of a message. */
  'short-message',
  /** Announces a message of 4 GiB. */
  'huge-length',
  /** Marks a message as compressed without naming the method. */
  'odd-compression',
  /** Resets the stream in the middle of a message. */
  'stream-reset',
  /** Drops the connection in the middle of a message. */
  'connection-cut',
] as const

/** A way to break frames. */
export type BrokenFraming = (typeof BROKEN_FRAMINGS)[number]

/** Options of {@link startBrokenFraming}. */
export interface BrokenFramingOptions {
  readonly framing: BrokenFraming
  /** These rpcs are answered correctly, where the framing distinguishes rpcs. @default health, loadModel */
  readonly healthy?: readonly RpcName[] | undefined
}

/** A backend whose frames are broken. */
export interface BrokenFramingBackend extends AsyncDisposable {
  readonly address: string
  close(): Promise<void>
}

/** Starts a backend whose frames are broken. */
export async function startBrokenFraming(options: BrokenFramingOptions): Promise<BrokenFramingBackend> {
  const { framing, healthy = ['health', 'loadModel'] } = options
  const healthyPaths = new Set<string>(healthy.map((rpc) => backendMethods[rpc].path))
  const server = isBelowHttp2(framing)
    ? createRawServer(framing)
    : createHttp2Server().on('stream', (stream: ServerHttp2Stream, headers) => {
        stream.on('error', () => {})
        const path = headers[':path'] ?? ''
        if (healthyPaths.has(path)) answerWell(stream, path)
        else answerBadly(stream, framing)
      })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { address: `127.0.0.1:${port}`, close: sockets.close, [Symbol.asyncDispose]: sockets.close }
}

type RawFraming = 'hangs-up' | 'mute' | 'not-http2' | 'noise'

function isBelowHttp2(framing: BrokenFraming): framing is RawFraming {
  return framing === 'hangs-up' || framing === 'mute' || framing === 'not-http2' || framing === 'noise'
}

function createRawServer(framing: RawFraming) {
  return createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.resume()
    if (framing === 'hangs-up') socket.destroy()
    else if (framing === 'not-http2') socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
    else if (framing === 'noise') socket.write(randomBytes(4096))
  })
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc+proto' }

function answerWell(stream: ServerHttp2Stream, path: string): void {
  stream.respond(HEADERS, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(frame(path === backendMethods.health.path ? HEALTHY : SUCCESS))
}

/** Prefixes a message with its five bytes. */
function frame(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

const MESSAGE = replyMessage('hello')
const HALF = frame(MESSAGE).subarray(0, 8)

function answerBadly(stream: ServerHttp2Stream, framing: Exclude<BrokenFraming, RawFraming>): void {
  if (framing === 'web-page') {
    stream.respond({ ':status': 502, 'content-type': 'text/html' })
    stream.end('<html>Bad Gateway</html>')
    return
  }
  stream.respond(HEADERS, { waitForTrailers: framing !== 'no-trailers' })
  const status = framing === 'odd-status' ? 'banana' : '0'
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }))
  switch (framing) {
    case 'no-trailers':
    case 'odd-status':
      stream.end(frame(MESSAGE))
      break
    case 'short-message':
      stream.end(HALF)
      break
    case 'huge-length':
      stream.end(frame(MESSAGE, { length: 0xffff_ffff }))
      break
    case 'odd-compression':
      stream.end(frame(MESSAGE, { flag: 1 }))
      break
    case 'stream-reset':
      stream.write(HALF, () => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
      break
    case 'connection-cut':
      stream.write(HALF, () => stream.session?.destroy())
      break
  }
}
