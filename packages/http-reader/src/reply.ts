import { EventEmitter } from 'node:events'
import { checkHeader, type HeaderValue } from './header-syntax.ts'
import { listMissing, NO_HEADERS, type PreparedHeaders } from './prepared-headers.ts'
import { REASON_PHRASES } from './reason-phrases.ts'
import { ReplyHead, type SetHeader } from './reply-head.ts'

/** The connection of a reply, as the reply needs it. */
export interface ReplySink {
  /** Whether another request may follow. */
  readonly keepsAlive: boolean
  /** The lines of the head that say how the connection goes on. */
  connectionLines(keepsAlive: boolean): string
  /** @returns false when the client does not keep up */
  send(text: string, encoding: 'latin1' | 'utf8'): boolean
  sendBytes(head: string, bytes: Uint8Array, tail: string): boolean
  /**
   * Called once, when all of the reply was given to `send`. It calls {@link Reply.sent} when the system has taken it.
   *
   * @param keepsAlive whether the head keeps the connection alive
   */
  finish(keepsAlive: boolean): void
  destroy(): void
}

/** Headers that are given with a head: by name, or names and values in turn. */
export type GivenHeaders = Readonly<Record<string, HeaderValue>> | readonly string[]

/** The request that a reply answers. */
export interface Answered {
  /** A reply to `HEAD` has no body. @default 'GET' */
  readonly method?: string
}

/** Bodies up to this many bytes leave in one string with their head. A copy costs less than a second piece. */
const SMALL_BODY_BYTES = 16_384

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

const NOT_ASCII = /[\x80-\xff]/

/**
 * The reply to a request. Its members are a subset of those of Node's `ServerResponse` and behave like them. The head
 * leaves with the first piece of the body.
 *
 * Events: `drain` when the client has caught up; `finish` when the system has taken the whole reply; `close` once,
 * last.
 */
export class Reply extends EventEmitter {
  statusCode = 200
  writableEnded = false
  /** Whether the system has taken the whole reply. */
  writableFinished = false
  destroyed = false
  readonly #sink: ReplySink
  readonly #isHead: boolean
  #prepared = NO_HEADERS
  #set: Map<string, SetHeader> | undefined
  /** The text of the head; empty once it has left. */
  #head: string | undefined
  #isChunked = false
  #hasBody = true
  #keepsAlive: boolean
  #isClosed = false

  constructor(sink: ReplySink, { method = 'GET' }: Answered = {}) {
    super()
    this.#sink = sink
    this.#isHead = method === 'HEAD'
    this.#keepsAlive = sink.keepsAlive
  }

  get headersSent(): boolean {
    return this.#head !== undefined
  }

  /** Takes headers that the head has beside the set and the given ones. A set or given header of the same name wins. */
  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  /** @throws {TypeError} for a name or a value that no header can have */
  setHeader(name: string, value: HeaderValue): this {
    if (this.headersSent) throw new Error('headers cannot be set after they are sent')
    checkHeader(name, value)
    this.#set ??= new Map()
    this.#set.set(name.toLowerCase(), { name, value })
    return this
  }

  appendHeader(name: string, value: string): this {
    const before = this.#set?.get(name.toLowerCase())?.value
    return this.setHeader(name, before === undefined ? value : [...[before].flat().map(String), value])
  }

  hasHeader(name: string): boolean {
    return this.#set?.has(name.toLowerCase()) ?? false
  }

  /** The headers that were set or prepared, by lower-case names. */
  getHeaders(): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = Object.create(null)
    for (const [name, value] of listMissing(this.#prepared, (key) => this.hasHeader(key))) {
      headers[name.toLowerCase()] = value
    }
    for (const [key, { value }] of this.#set ?? []) headers[key] = Array.isArray(value) ? [...value] : String(value)
    return headers
  }

  /** Sends a status that comes before the reply and says nothing (RFC 9110, section 15.2.1). Does nothing later. */
  writeContinue(): void {
    if (!this.headersSent && !this.destroyed) this.#sink.send(CONTINUE, 'latin1')
  }

  /**
   * Fixes the head. A reply without `Content-Length` is sent in chunks.
   *
   * @param headers they win over headers that were set
   * @throws {RangeError} for a number that is not a status
   * @throws {TypeError} for a name or a value that no header can have
   */
  writeHead(status: number, headers: GivenHeaders = {}): this {
    if (this.headersSent) throw new Error('a head cannot be written twice')
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw new RangeError(`not the status of a reply: ${JSON.stringify(String(status))}`)
    }
    this.statusCode = status
    const head = new ReplyHead(this.#prepared)
    addGiven(head, headers)
    if (this.#set !== undefined) head.addMissing(this.#set)
    this.#hasBody = !this.#isHead && hasContent(status)
    this.#isChunked = this.#hasBody && !head.hasLength
    if (head.closes) this.#keepsAlive = false
    const framing = this.#isChunked ? 'Transfer-Encoding: chunked\r\n' : ''
    const connection = this.#sink.connectionLines(this.#keepsAlive)
    const reason = REASON_PHRASES[status] ?? 'Unknown'
    this.#head = `HTTP/1.1 ${status} ${reason}\r\n${head.toLines()}${connection}${framing}\r\n`
    return this
  }

  /**
   * @returns false when the client does not keep up; `drain` follows
   * @throws {TypeError} for data that is neither text nor bytes
   */
  write(data: string | Uint8Array, encoding?: 'latin1'): boolean {
    if (this.writableEnded || this.destroyed) return true
    checkBody(data)
    if (!this.headersSent) this.writeHead(this.statusCode)
    const length = this.#hasBody ? countBytes(data, encoding) : 0
    if (length === 0) return true
    const opening = this.#isChunked ? `${length.toString(16)}\r\n` : ''
    return this.#send(opening, data, { closing: this.#isChunked ? '\r\n' : '', encoding })
  }

  end(data: string | Uint8Array = '', encoding?: 'latin1'): this {
    if (this.writableEnded || this.destroyed) return this
    checkBody(data)
    const length = countBytes(data, encoding)
    if (!this.headersSent)
      this.writeHead(this.statusCode, hasContent(this.statusCode) ? { 'Content-Length': length } : {})
    if (length === 0 || !this.#hasBody) {
      const rest = this.#takeHead() + (this.#isChunked ? '0\r\n\r\n' : '')
      if (rest !== '') this.#sink.send(rest, 'latin1')
    } else if (this.#isChunked) {
      this.#send(`${length.toString(16)}\r\n`, data, { closing: '\r\n0\r\n\r\n', encoding })
    } else {
      this.#send('', data, { closing: '', encoding })
    }
    this.writableEnded = true
    this.#sink.finish(this.#keepsAlive)
    return this
  }

  /** Cuts the connection. */
  destroy(): this {
    if (!this.destroyed) {
      this.destroyed = true
      this.#sink.destroy()
    }
    return this
  }

  /** For the sink: the system has taken the whole reply. */
  sent(): void {
    this.writableFinished = true
    this.emit('finish')
    this.closed()
  }

  /** For the sink: the connection has ended, or goes on with another request. */
  closed(): void {
    this.destroyed = true
    if (this.#isClosed) return
    this.#isClosed = true
    this.emit('close')
  }

  #takeHead(): string {
    const head = this.#head ?? ''
    this.#head = ''
    return head
  }

  #send(
    opening: string,
    data: string | Uint8Array,
    { closing, encoding = 'utf8' }: { readonly closing: string; readonly encoding?: 'latin1' | 'utf8' | undefined },
  ): boolean {
    const before = this.#takeHead() + opening
    if (typeof data !== 'string') {
      if (data.length > SMALL_BODY_BYTES) return this.#sink.sendBytes(before, data, closing)
      return this.#sink.send(before + toLatin1(data) + closing, 'latin1')
    }
    // A head is Latin-1. One that is not ASCII must not be sent as UTF-8.
    if (encoding === 'utf8' && NOT_ASCII.test(before)) {
      this.#sink.send(before, 'latin1')
      return this.#sink.send(data + closing, encoding)
    }
    return this.#sink.send(before + data + closing, encoding)
  }
}

/** Whether replies of a status have content (RFC 9110, section 6.4.1). */
function hasContent(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304
}

function addGiven(head: ReplyHead, headers: GivenHeaders): void {
  if (isFlat(headers)) {
    for (let at = 0; at < headers.length; at += 2) head.add(headers[at] ?? '', headers[at + 1] ?? '')
  } else {
    for (const name of Object.keys(headers)) head.add(name, headers[name] ?? '')
  }
}

function isFlat(headers: GivenHeaders): headers is readonly string[] {
  return Array.isArray(headers)
}

function checkBody(data: string | Uint8Array): void {
  if (typeof data === 'string' || data instanceof Uint8Array) return
  throw new TypeError('a body must be text or a Uint8Array')
}

function countBytes(data: string | Uint8Array, encoding: 'latin1' | undefined): number {
  return typeof data === 'string' && encoding !== 'latin1' ? Buffer.byteLength(data) : data.length
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
