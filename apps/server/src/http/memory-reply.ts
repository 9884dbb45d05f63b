import { EventEmitter } from 'node:events'
import type { GivenHeaders, ReplyEvent, ServerReply } from './messages.ts'

/** A reply that is kept in memory. */
export interface MemoryReply extends ServerReply {
  /** The bytes so far. */
  readonly body: Buffer
  /** Whether the reply was longer than was kept. */
  readonly isCut: boolean
  /** A header by lower-case name. */
  header(name: string): string | undefined
}

/** Creates a reply whose first `maxBytes` are kept. A writer that goes on after them finds its reader gone. */
export function createMemoryReply({ maxBytes }: { readonly maxBytes: number }): MemoryReply {
  const events = new EventEmitter()
  const headers = new Map<string, string>()
  const pieces: Buffer[] = []
  let bytes = 0
  let isCut = false
  let headersSent = false
  let writableEnded = false
  let destroyed = false

  function set(name: string, value: unknown): void {
    headers.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value))
  }

  function setAll(given: GivenHeaders): void {
    if (!Array.isArray(given)) {
      for (const [name, value] of Object.entries(given)) set(name, value)
      return
    }
    for (let index = 0; index + 1 < given.length; index += 2) set(given[index] ?? '', given[index + 1])
  }

  function close(): void {
    if (destroyed) return
    destroyed = true
    queueMicrotask(() => events.emit('close'))
  }

  function write(data: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    headersSent = true
    const piece = typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data)
    const room = maxBytes - bytes
    if (piece.length > room) isCut = true
    const kept = piece.subarray(0, room)
    if (kept.length > 0) pieces.push(kept)
    bytes += kept.length
    if (isCut) close()
    return true
  }

  const reply: MemoryReply = {
    statusCode: 200,
    get headersSent() {
      return headersSent
    },
    get writableEnded() {
      return writableEnded
    },
    get writableFinished() {
      return writableEnded
    },
    get destroyed() {
      return destroyed
    },
    get body() {
      return Buffer.concat(pieces)
    },
    get isCut() {
      return isCut
    },
    header: (name) => headers.get(name),
    setHeader: set,
    appendHeader(name, value) {
      const before = headers.get(name.toLowerCase())
      set(name, before === undefined ? value : `${before}, ${value}`)
    },
    hasHeader: (name) => headers.has(name.toLowerCase()),
    getHeaders: () => Object.fromEntries(headers),
    writeHead(status, given) {
      reply.statusCode = status
      setAll(given)
      headersSent = true
      return reply
    },
    write,
    end(data?: string | Uint8Array, encoding?: 'latin1') {
      if (writableEnded) return
      if (data !== undefined) write(data, encoding)
      headersSent = true
      writableEnded = true
      queueMicrotask(() => events.emit('finish'))
      close()
    },
    destroy: close,
    on: (event: ReplyEvent, listener: () => void) => events.on(event, listener),
    once: (event: ReplyEvent, listener: () => void) => events.once(event, listener),
    off: (event: ReplyEvent, listener: () => void) => events.off(event, listener),
  }
  return reply
}
