import type { Duplex } from 'node:stream'
import * as zlib from 'node:zlib'
import type { SvcError } from '@svc/errors'
import { upstreamFailed } from './errors.ts'
import type { BodyPiece, Header, UpstreamHead, UpstreamRequest, UpstreamSink } from './upstream.ts'

/** The exchange whose body is decoded. */
export interface DecodedExchange {
  /** Reads more of the encoded body. */
  readOn(): void
  /** Ends the exchange; the sink gets the error unless the encoded body was complete. */
  abort(error: SvcError): void
}

/**
 * Decodes the body of a reply on its way to a sink. Some upstreams encode although the request asks for no coding. A
 * body that its header calls gzip but that is plain passes as it came.
 */
export class DecodingSink implements UpstreamSink {
  readonly #sink: UpstreamSink
  readonly #coding: Coding
  readonly #exchange: DecodedExchange
  #stream: Duplex | undefined
  #isPlain = false
  /** The end of the encoded body in the middle. */
  #failure: SvcError | undefined
  #isSettled = false

  constructor(coding: Coding, sink: UpstreamSink, exchange: DecodedExchange) {
    this.#coding = coding
    this.#sink = sink
    this.#exchange = exchange
  }

  head(head: UpstreamHead): void {
    const headers = head.headers.filter(([name]) => name !== 'content-encoding')
    this.#sink.head({ ...head, headers, lengthBytes: undefined, endsWithConnection: false })
  }

  data(piece: BodyPiece, isLast: boolean): boolean {
    if (this.#isPlain) return this.#sink.data(piece, isLast)
    if (this.#isSettled) return true
    const bytes = piece.toBuffer()
    if (this.#stream === undefined) {
      this.#isPlain = this.#coding.isPlain?.(bytes) ?? false
      if (this.#isPlain) return this.#sink.data(new BytesPiece(bytes), isLast)
      this.#stream = this.#open(bytes)
    }
    return this.#stream.write(bytes)
  }

  end(): void {
    if (this.#isSettled) return
    if (this.#stream === undefined) this.#sink.end()
    else this.#stream.end()
  }

  fail(error: SvcError): void {
    if (this.#isSettled) return
    if (this.#stream === undefined || error.kind === 'cancelled') {
      this.stop(error)
      return
    }
    // The decoded part of a cut body still reaches the sink.
    this.#failure = error
    this.#stream.end()
  }

  /** Passes on the bytes that the sink could not take. */
  resume(): void {
    if (this.#stream === undefined) this.#exchange.readOn()
    else this.#stream.resume()
  }

  /** Drops the bytes that are not yet decoded, and fails. */
  stop(error: SvcError): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#stream?.destroy()
    this.#sink.fail(error)
  }

  #open(first: Uint8Array): Duplex {
    const stream = this.#coding.open(first)
    stream.on('data', (bytes: Buffer) => {
      if (!this.#isSettled && !this.#sink.data(new BytesPiece(bytes), false)) stream.pause()
    })
    stream.on('drain', () => this.#exchange.readOn())
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#settle(upstreamFailed(error.code === 'Z_BUF_ERROR' ? 'truncated' : 'undecodable', error))
    })
    stream.on('end', () => this.#settle(undefined))
    return stream
  }

  #settle(error: SvcError | undefined): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const failure = this.#failure ?? error
    if (failure === undefined) {
      this.#sink.end()
      return
    }
    this.#exchange.abort(failure)
    this.#sink.fail(failure)
  }
}

/** A way to decode a body. */
export interface Coding {
  /** @param first the first bytes of the body */
  open(first: Uint8Array): Duplex
  /** Whether a body is not encoded at all, by its first bytes. */
  isPlain?(first: Uint8Array): boolean
}

const GZIP: Coding = { open: () => zlib.createGunzip(), isPlain: ([first]) => first !== 0x1f }
/** Half of the world sends the bare format, the other half the one with a header. */
const DEFLATE: Coding = {
  open: ([first = 0]) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
}

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', DEFLATE],
  ['br', { open: () => zlib.createBrotliDecompress() }],
])

/** The coding of a reply whose request did not ask for one; undefined for plain and unknown ones. */
export function findUnasked({ headers: asked }: UpstreamRequest, { headers }: UpstreamHead): Coding | undefined {
  // Almost all replies are plain.
  if (!headers.some(([name]) => name === 'content-encoding')) return undefined
  const coding = joinHeader(headers, 'content-encoding')
  const accepted = joinHeader(asked, 'accept-encoding')
  return accepted === '' || accepted === 'identity' ? CODINGS.get(coding) : undefined
}

function joinHeader(headers: readonly Header[], wanted: string): string {
  const values = headers.filter(([name]) => name === wanted).map(([, value]) => value)
  return values.join(',').trim().toLowerCase()
}

class BytesPiece implements BodyPiece {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  toLatin1(): string {
    return this.#bytes.toString('latin1')
  }

  toBuffer(): Buffer {
    return this.#bytes
  }
}
