import { SvcError } from '@svc/errors'
import type { HeldBytes } from '../inference/core/ports.ts'
import type { AbortSignalLike } from '../ports.ts'
import { BodyPieces } from './body-pieces.ts'
import { bodyBroken, bodyLeft, bodyStopped, streamBody } from './body-stream.ts'
import { ByteBudget, type ByteMeter } from './byte-meter.ts'
import { type ServerReply, type ServerRequest, toBodyStream } from './messages.ts'

/** Limits of request bodies (§8, threats IN-1, IN-11, REL-2). */
export interface BodyLimits {
  /** Largest body, bytes. */
  readonly maxBytes: number
  /** Longest silence of a sender, milliseconds. */
  readonly idleMs: number
  /** Bytes of all bodies held at once. */
  readonly totalBytes: number
}

/** A call whose body is read. */
export interface BodySource {
  readonly incoming: ServerRequest
  readonly outgoing: ServerReply
  readonly abort: AbortSignalLike & { readonly reason?: unknown }
  /** Rejects when the caller may not make the call any more. @default every caller may */
  confirm?(): Promise<void>
}

/** Reads request bodies and counts the bytes that all of them hold. */
export interface BodyReader {
  /**
   * Reads the whole body. Its user calls `release` when it needs the bytes no longer. A client decides how long that takes:
   * the caller of a body that was waited for is confirmed.
   *
   * @param options.maxBytes a limit below that of the server
   * @throws {SvcError} `too_large`, `unsupported_media`, `timeout`, `unavailable`, `cancelled`; `unauthenticated` or
   *   `forbidden` for a caller who has lost the right meanwhile
   */
  read(call: BodySource, options?: { readonly maxBytes: number }): Promise<HeldBytes>
  /**
   * Takes a body that came whole with the head; undefined for a body that is still to be read.
   *
   * @throws {SvcError} as {@link read} does
   */
  readWhole(
    call: { readonly incoming: ServerRequest; readonly outgoing: ServerReply },
    options?: { readonly maxBytes: number },
  ): HeldBytes | undefined
  /**
   * Gives the pieces of the body as they arrive, for a body that is kept on disk. They do not count against the memory.
   * After the last piece the caller is confirmed.
   *
   * @param options.maxBytes a limit below that of the server
   * @throws {SvcError} as {@link read} does
   */
  stream(call: BodySource, options?: { readonly maxBytes: number }): AsyncIterable<Uint8Array>
  /** Counts bytes that arrive in another way, such as messages of a socket. */
  meter(): ByteMeter
  /** Largest body, bytes. */
  readonly maxBytes: number
  /** Bytes held at this moment. */
  readonly heldBytes: number
}

function checkCoding(incoming: ServerRequest, outgoing: ServerReply): void {
  const coding = incoming.headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    outgoing.setHeader('Accept-Encoding', 'identity')
    throw new SvcError('unsupported_media', 'request bodies may not be compressed', { code: 'content_encoding' })
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(incoming.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new SvcError('unsupported_media', 'request bodies must be UTF-8', { code: 'charset' })
  }
}

function tooLarge(maxBytes: number): SvcError {
  return new SvcError('too_large', `request body is larger than ${maxBytes} bytes`, { code: 'body_too_large' })
}

/** Creates the refusal of a body that memory has no room for. */
export function tooManyBodies(): SvcError {
  return new SvcError('unavailable', 'too many request bodies in memory; retry shortly', {
    code: 'body_memory',
    retryAfterMs: 1000,
  })
}

/** Makes the reader of all calls of a server. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the path of every body; its parts share one meter and its limits
export function createBodyReader(limits: BodyLimits): BodyReader {
  const budget = new ByteBudget(limits.totalBytes)
  const meter = (): ByteMeter => budget.open()

  /** Counts the next piece of a body, or returns the reason why it is not taken. */
  function refuse(counted: ByteMeter, pieceBytes: number, maxBytes: number): SvcError | undefined {
    if (counted.bytes + pieceBytes > maxBytes) return tooLarge(maxBytes)
    return counted.add(pieceBytes) ? undefined : tooManyBodies()
  }

  function check(incoming: ServerRequest, outgoing: ServerReply, maxBytes: number): void {
    checkCoding(incoming, outgoing)
    if (Number(incoming.headers['content-length'] ?? 0) <= maxBytes) return
    outgoing.setHeader('Connection', 'close')
    throw tooLarge(maxBytes)
  }

  async function collect(call: BodySource, counted: ByteMeter, maxBytes: number): Promise<Uint8Array> {
    const { outgoing, abort } = call
    outgoing.sendContinue?.()
    const body = toBodyStream(call.incoming)
    const pieces = new BodyPieces()
    await new Promise<void>((resolve, reject) => {
      let isSettled = false
      const settle = (error?: unknown): void => {
        if (isSettled) return
        isSettled = true
        clearTimeout(timer)
        abort.removeEventListener('abort', onAbort)
        // No event follows the end, so its listeners may stay.
        if (error === undefined) resolve()
        else {
          // The reply closes the connection, and later bytes are dropped.
          body.off('data', onData).pause()
          reject(error)
        }
      }
      const onData = (chunk: Uint8Array): void => {
        timer.refresh()
        const refusal = refuse(counted, chunk.length, maxBytes)
        if (refusal === undefined) pieces.add(chunk)
        else {
          outgoing.setHeader('Connection', 'close')
          settle(refusal)
        }
      }
      const onEnd = (): void => settle()
      const onError = (error: Error): void => settle(bodyBroken(error))
      const onClose = (): void => settle(bodyLeft())
      const timer = setTimeout(() => {
        outgoing.setHeader('Connection', 'close')
        settle(bodyStopped())
      }, limits.idleMs)
      const onAbort = (): void => settle(bodyLeft(abort.reason))
      body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
      abort.addEventListener('abort', onAbort)
    })
    return pieces.join()
  }

  return {
    get heldBytes() {
      return budget.heldBytes
    },
    maxBytes: limits.maxBytes,
    meter,
    readWhole({ incoming, outgoing }, { maxBytes } = limits) {
      const { body } = incoming
      if (!(body instanceof Uint8Array)) return undefined
      check(incoming, outgoing, maxBytes)
      const counted = meter()
      const refusal = refuse(counted, body.length, maxBytes)
      if (refusal !== undefined) throw refusal
      return { bytes: body, release: counted.release }
    },
    async *stream(call, options = limits) {
      const { incoming, outgoing } = call
      const maxBytes = Math.min(options.maxBytes, limits.maxBytes)
      const whole = this.readWhole(call, { maxBytes })
      if (whole !== undefined) {
        try {
          yield whole.bytes
        } finally {
          whole.release()
        }
        return
      }
      check(incoming, outgoing, maxBytes)
      outgoing.sendContinue?.()
      let bytes = 0
      let isWhole = false
      try {
        for await (const piece of streamBody(toBodyStream(incoming), { abort: call.abort, idleMs: limits.idleMs })) {
          bytes += piece.length
          if (bytes > maxBytes) throw tooLarge(maxBytes)
          yield piece
        }
        isWhole = true
        await call.confirm?.()
      } finally {
        // The bytes after an unread body are not a request.
        if (!isWhole && !outgoing.headersSent) outgoing.setHeader('Connection', 'close')
      }
    },
    async read(call, options = limits) {
      const { incoming, outgoing } = call
      const maxBytes = Math.min(options.maxBytes, limits.maxBytes)
      const whole = this.readWhole(call, { maxBytes })
      if (whole !== undefined) return whole
      check(incoming, outgoing, maxBytes)
      const counted = meter()
      try {
        const bytes = await collect(call, counted, maxBytes)
        await call.confirm?.()
        return { bytes, release: counted.release }
      } catch (error) {
        counted.release()
        throw error
      }
    },
  }
}
