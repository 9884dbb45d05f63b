import { createServer, type Socket } from 'node:net'

const PREFACE_BYTES = 24
const HEAD_BYTES = 9
const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 } as const
const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const

/** A stream of a call, answered frame by frame. */
export interface RawStream {
  readonly socket: Socket
  /** Good headers of a reply, and others where they are given. */
  headers(extra?: Readonly<Record<string, string>>, options?: { readonly isLast?: boolean }): void
  data(bytes: Uint8Array, options?: { readonly isLast?: boolean }): void
  trailers(fields: Readonly<Record<string, string>>): void
  reset(code: number): void
  goaway(lastStream: number, code: number): void
  /** A frame with any bytes. */
  frame(type: keyof typeof TYPE, flags: number, payload: Uint8Array): void
}

/** A backend that writes its frames itself, also frames that no library lets through. */
export interface RawHttp2 extends AsyncDisposable {
  readonly address: string
}

/** Options of {@link startRawHttp2}. */
export interface RawHttp2Options {
  /** A request has begun. */
  onRequest(stream: RawStream): void
  /** Whether pings are answered. @default true */
  readonly answersPings?: boolean | undefined
  /** A ping has come. */
  onPing?(): void
}

/** Starts a backend that greets as HTTP/2 requires it; its options do the rest. */
export async function startRawHttp2({ onRequest, onPing, answersPings = true }: RawHttp2Options): Promise<RawHttp2> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.write(toFrame(TYPE.settings, 0, 0, Buffer.alloc(0)))
    let bytes = Buffer.alloc(0)
    let isGreeted = false
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (!isGreeted && bytes.length >= PREFACE_BYTES) {
        isGreeted = true
        bytes = bytes.subarray(PREFACE_BYTES)
      }
      while (isGreeted && bytes.length >= HEAD_BYTES && bytes.length >= HEAD_BYTES + bytes.readUIntBE(0, 3)) {
        const end = HEAD_BYTES + bytes.readUIntBE(0, 3)
        const [type, flags, stream] = [bytes[3] ?? 0, bytes[4] ?? 0, bytes.readUInt32BE(5)]
        const payload = bytes.subarray(HEAD_BYTES, end)
        bytes = bytes.subarray(end)
        const isAck = (flags & FLAG.ack) !== 0
        if (type === TYPE.headers) onRequest(openStream(socket, stream))
        if (type === TYPE.settings && !isAck) socket.write(toFrame(TYPE.settings, FLAG.ack, 0, Buffer.alloc(0)))
        if (type === TYPE.ping && !isAck) onPing?.()
        if (type === TYPE.ping && !isAck && answersPings) socket.write(toFrame(TYPE.ping, FLAG.ack, 0, payload))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    address: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function openStream(socket: Socket, id: number): RawStream {
  const write: RawStream['frame'] = (type, flags, payload) =>
    void socket.write(toFrame(TYPE[type], flags, type === 'goaway' ? 0 : id, payload))
  return {
    socket,
    headers: (extra = {}, { isLast = false } = {}) => {
      const fields = { 'content-type': 'application/grpc', ...extra }
      // The first byte is `:status: 200` of the static table.
      const block = Buffer.concat([Buffer.of(0x88), encodeFields(fields)])
      write('headers', FLAG.endHeaders | (isLast ? FLAG.endStream : 0), block)
    },
    data: (bytes, { isLast = false } = {}) => write('data', isLast ? FLAG.endStream : 0, bytes),
    trailers: (fields) => write('headers', FLAG.endHeaders | FLAG.endStream, encodeFields(fields)),
    reset: (code) => write('reset', 0, toUInt32(code)),
    goaway: (lastStream, code) => write('goaway', 0, Buffer.concat([toUInt32(lastStream), toUInt32(code)])),
    frame: write,
  }
}

/** Header fields as literals with their names, in the form that asks nothing of the other side's table. */
export function encodeFields(fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)])
  return Buffer.concat(parts)
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length >= 127) throw new Error('a header of a raw backend is at most 126 bytes long')
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

function toFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function toUInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
