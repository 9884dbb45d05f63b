import { EventEmitter } from 'node:events'
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { GivenHeaders, ServerReply } from '../messages.ts'
import { linesWithout, NO_HEADERS, type PreparedHeaders } from '../prepared-headers.ts'

/** Where a reply goes. */
export interface ReplySink {
  /** Whether another request may follow this one. */
  readonly keepsAlive: boolean
  /** The lines that tell the client how the connection goes on. */
  connectionLines(keepsAlive: boolean): string
  /** @returns false when the reader does not keep up */
  send(text: string, encoding: 'latin1' | 'utf8'): boolean
  sendBytes(head: string, bytes: Uint8Array, tail: string): boolean
  /** Everything was sent: calls {@link DirectReply.sent} back once it is out. @param keepsAlive what the head says */
  finish(keepsAlive: boolean): void
  destroy(): void
}

/** Bodies up to this many bytes leave as one string with their head: copying them costs less than a second piece. */
const SMALL_BODY_BYTES = 16_384

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

interface SetHeader {
  readonly name: string
  readonly value: string | number | readonly string[]
}

/**
 * The reply to a request that the server has read itself. It behaves as Node's does, as far as {@link ServerReply} goes;
 * the head leaves with the first piece of the body, and a small reply as one string.
 */
export class DirectReply extends EventEmitter implements ServerReply {
  statusCode = 200
  writableEnded = false
  writableFinished = false
  destroyed = false
  readonly #sink: ReplySink
  #prepared = NO_HEADERS
  #set: Map<string, SetHeader> | undefined
  /** The text of the head; empty once it has left. */
  #head: string | undefined
  #isChunked = false
  #hasBody = true
  #keepsAlive: boolean

  constructor(sink: ReplySink) {
    super()
    this.#sink = sink
    this.#keepsAlive = sink.keepsAlive
  }

  get headersSent(): boolean {
    return this.#head !== undefined
  }

  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
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

  getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(
      [...(this.#set ?? [])].map(([key, { value }]) => [key, Array.isArray(value) ? [...value] : String(value)]),
    )
  }

  writeHead(status: number, headers: GivenHeaders = {}): this {
    if (this.headersSent) throw new Error('a head cannot be written twice')
    this.statusCode = status
    const lines = new HeadLines(this.#prepared)
    if (Array.isArray(headers)) {
      for (let at = 0; at < headers.length; at += 2) lines.add(headers[at] ?? '', headers[at + 1] ?? '')
    } else {
      for (const name in headers) lines.add(name, headers[name] ?? '')
    }
    if (this.#set !== undefined) lines.addMissing(this.#set)
    this.#hasBody = status >= 200 && status !== 204 && status !== 304
    this.#isChunked = this.#hasBody && !lines.hasLength
    if (lines.closes) this.#keepsAlive = false
    const framing = this.#isChunked ? 'Transfer-Encoding: chunked\r\n' : ''
    const connection = this.#sink.connectionLines(this.#keepsAlive)
    this.#head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.end()}${connection}${framing}\r\n`
    return this
  }

  write(data: string | Uint8Array, encoding?: 'latin1'): boolean {
    if (this.writableEnded || this.destroyed) return true
    if (!this.headersSent) this.writeHead(this.statusCode)
    const length = this.#hasBody ? byteLength(data, encoding) : 0
    if (length === 0) return true
    const opening = this.#isChunked ? `${length.toString(16)}\r\n` : ''
    return this.#send(opening, data, { closing: this.#isChunked ? '\r\n' : '', encoding })
  }

  end(data: string | Uint8Array = '', encoding?: 'latin1'): this {
    if (this.writableEnded || this.destroyed) return this
    const length = byteLength(data, encoding)
    if (!this.headersSent) this.writeHead(this.statusCode, { 'Content-Length': length })
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

  destroy(): this {
    if (!this.destroyed) {
      this.destroyed = true
      this.#sink.destroy()
    }
    return this
  }

  /** All that was written is out. */
  sent(): void {
    this.writableFinished = true
    this.emit('finish')
    this.closed()
  }

  /** The connection has ended, or goes on with another request. */
  closed(): void {
    this.destroyed = true
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
    // The head is not all ASCII where a header is not; then it must not be sent as UTF-8.
    if (encoding === 'utf8' && UNFIT_FOR_UTF8.test(before)) {
      this.#sink.send(before, 'latin1')
      return this.#sink.send(data + closing, encoding)
    }
    return this.#sink.send(before + data + closing, encoding)
  }
}

const UNFIT_FOR_UTF8 = /[\x80-\xff]/

function byteLength(data: string | Uint8Array, encoding: 'latin1' | undefined): number {
  return typeof data === 'string' && encoding !== 'latin1' ? Buffer.byteLength(data) : data.length
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

function checkHeader(name: string, value: string | number | readonly string[]): void {
  if (!TOKEN.test(name)) throw new TypeError(`not the name of a header: ${JSON.stringify(name)}`)
  for (const each of Array.isArray(value) ? value : [value]) {
    if (UNFIT.test(String(each))) throw new TypeError(`a value that header ${name} cannot have`)
  }
}

/** The lines of a head that is being put together. */
class HeadLines {
  readonly #prepared: PreparedHeaders
  #lines = ''
  /** Names that stand for a prepared one, or for one that was set. */
  readonly #names: string[] = []
  #hasClash = false
  #hasDate = false
  hasLength = false
  closes = false

  constructor(prepared: PreparedHeaders) {
    this.#prepared = prepared
  }

  add(name: string, value: string | number | readonly string[], key = name.toLowerCase()): void {
    checkHeader(name, value)
    // How the body is framed is said by the reply.
    if (key === 'transfer-encoding') return
    this.#names.push(key)
    if (key === 'content-length') this.hasLength = true
    else if (key === 'date') this.#hasDate = true
    else if (this.#prepared.names.has(key)) this.#hasClash = true
    else if (key === 'connection') {
      this.closes ||= /(?:^|,)\s*close\s*(?:,|$)/i.test(String(value))
      return
    }
    if (Array.isArray(value)) for (const each of value) this.#lines += `${name}: ${each}\r\n`
    else this.#lines += `${name}: ${value}\r\n`
  }

  /** Adds those whose names are not here yet. */
  addMissing(headers: ReadonlyMap<string, SetHeader>): void {
    const given = this.#names.slice()
    for (const [key, { name, value }] of headers) if (!given.includes(key)) this.add(name, value, key)
  }

  end(): string {
    const date = this.#hasDate ? '' : dateLine()
    if (!this.#hasClash) return this.#lines + this.#prepared.lines + date
    for (const [name, value] of linesWithout(this.#prepared, (key) => this.#names.includes(key))) {
      this.#lines += `${name}: ${value}\r\n`
    }
    return this.#lines + date
  }
}

const date = { second: -1, line: '' }

function dateLine(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== date.second) {
    date.second = second
    date.line = `Date: ${new Date(now).toUTCString()}\r\n`
  }
  return date.line
}
