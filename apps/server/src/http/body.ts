import type { IncomingMessage, ServerResponse } from 'node:http'
import { SvcError } from '@svc/errors'

/** Limits of request bodies (§8, threats IN-1, IN-11, REL-2). */
export interface BodyLimits {
  /** Largest body, bytes. */
  readonly maxBytes: number
  /** Longest silence of a sender, milliseconds. */
  readonly idleMs: number
  /** Bytes of all bodies held at once. */
  readonly totalBytes: number
}

/** Reads request bodies and counts what they hold together. */
export interface BodyReader {
  /**
   * The whole body. `release` must be called once the bytes are no longer needed.
   *
   * @throws {SvcError} `too_large`, `unsupported_media`, `timeout`, `unavailable`, `cancelled`
   */
  read(call: {
    readonly incoming: IncomingMessage
    readonly outgoing: ServerResponse
    readonly signal: AbortSignal
  }): Promise<HeldBody>
  /** Bytes held at this moment. */
  readonly heldBytes: number
}

/** A body in memory. */
export interface HeldBody {
  readonly bytes: Uint8Array
  release(): void
}

const EMPTY = new Uint8Array(0)

function checkCoding(incoming: IncomingMessage, outgoing: ServerResponse): void {
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

function tooManyBodies(): SvcError {
  return new SvcError('unavailable', 'too many request bodies in memory; retry shortly', {
    code: 'body_memory',
    retryAfterMs: 1000,
  })
}

/** Makes the reader that all calls of a server share. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  let heldBytes = 0

  /** Why the next piece of a body is not taken. */
  function refuse(size: number, pieceBytes: number): SvcError | undefined {
    if (size > limits.maxBytes) return tooLarge(limits.maxBytes)
    return heldBytes + pieceBytes > limits.totalBytes ? tooManyBodies() : undefined
  }

  async function collect(call: Parameters<BodyReader['read']>[0], count: (bytes: number) => void): Promise<Uint8Array> {
    const { incoming, outgoing, signal } = call
    const chunks: Uint8Array[] = []
    let size = 0
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown): void => {
        clearTimeout(timer)
        incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
        signal.removeEventListener('abort', onClose)
        if (error === undefined) resolve()
        else {
          // What still arrives is thrown away; the reply closes the connection.
          incoming.pause()
          reject(error)
        }
      }
      const onData = (chunk: Uint8Array): void => {
        timer.refresh()
        size += chunk.length
        const refusal = refuse(size, chunk.length)
        if (refusal === undefined) {
          count(chunk.length)
          chunks.push(chunk)
        } else {
          outgoing.setHeader('Connection', 'close')
          settle(refusal)
        }
      }
      const onEnd = (): void => settle()
      const onError = (error: Error): void =>
        settle(new SvcError('cancelled', 'the request body broke off', { cause: error }))
      const onClose = (): void => settle(new SvcError('cancelled', 'the client closed the connection'))
      const timer = setTimeout(() => {
        outgoing.setHeader('Connection', 'close')
        settle(new SvcError('invalid_request', 'the request body stopped arriving', { code: 'body_idle' }))
      }, limits.idleMs)
      incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
      signal.addEventListener('abort', onClose, { once: true })
    })
    if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0]
    return chunks.length === 0 ? EMPTY : Buffer.concat(chunks, size)
  }

  return {
    get heldBytes() {
      return heldBytes
    },
    async read(call) {
      const { incoming, outgoing } = call
      checkCoding(incoming, outgoing)
      const declared = Number(incoming.headers['content-length'] ?? 0)
      if (declared > limits.maxBytes) {
        outgoing.setHeader('Connection', 'close')
        throw tooLarge(limits.maxBytes)
      }
      let counted = 0
      const release = (): void => {
        heldBytes -= counted
        counted = 0
      }
      try {
        const bytes = await collect(call, (size) => {
          counted += size
          heldBytes += size
        })
        return { bytes, release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}
