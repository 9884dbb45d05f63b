import type { IncomingMessage } from 'node:http'
import { type ContentCoding, decodeContent } from './content-coding.ts'
import { fetchTooLarge, type Trust, toFetchFailure, withHost } from './failures.ts'
import type { Lifetime } from './lifetime.ts'

/** The content of a reply, with its limits. */
export interface ContentOptions {
  readonly message: IncomingMessage
  readonly lifetime: Lifetime
  readonly coding: ContentCoding
  /** Maximum bytes after decoding. */
  readonly maxBytes: number
  readonly trust: Trust
  /** The host that the reply is from. */
  readonly host: string
}

/** Normal text shrinks to a twentieth; content that expands more than this is an attack. */
const MAX_RATIO = 200
/** Decoded bytes to which the ratio does not apply. */
const RATIO_FREE_BYTES = 4 * 1024 * 1024
/** Bytes that an encoding may add to incompressible content. */
const ENCODING_MARGIN_BYTES = 64 * 1024

/** Maximum bytes on the wire: an encoded body may be endless and decode to nothing. */
function toMaxWireBytes({ coding, maxBytes }: Pick<ContentOptions, 'coding' | 'maxBytes'>): number {
  return coding === 'identity' ? maxBytes : maxBytes + maxBytes / 64 + ENCODING_MARGIN_BYTES
}

/**
 * Whether the headers of a reply announce more than is allowed.
 *
 * @param announced the value of `Content-Length`
 */
export function announcesTooMuch(
  announced: string | undefined,
  limits: Pick<ContentOptions, 'coding' | 'maxBytes'>,
): boolean {
  return announced !== undefined && Number(announced) > toMaxWireBytes(limits)
}

/**
 * Gives the bytes of a reply, decoded and within all limits. Every kind of end closes the connection.
 *
 * @throws SvcError `fetch_too_large`, `fetch_failed`, `fetch_timeout`; the reason of the caller's signal
 */
export async function* readContent(options: ContentOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { message, lifetime, coding, maxBytes, trust, host } = options
  const meter = { wireBytes: 0 }
  const wire = readWire(options, meter)
  let bytes = 0
  try {
    for await (const chunk of coding === 'identity' ? wire : decodeContent(wire, { coding, trust })) {
      bytes += chunk.length
      if (bytes > maxBytes || bytes > RATIO_FREE_BYTES + MAX_RATIO * meter.wireBytes) throw fetchTooLarge()
      yield chunk
    }
    lifetime.signal.throwIfAborted()
  } catch (error) {
    throw withHost(lifetime.signal.aborted ? lifetime.signal.reason : toFetchFailure(error, trust), host)
  } finally {
    lifetime.end()
    message.destroy()
  }
}

async function* readWire(
  options: ContentOptions,
  meter: { wireBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { message, lifetime } = options
  const limit = toMaxWireBytes(options)
  lifetime.startWaiting()
  const chunks: AsyncIterable<Uint8Array> = message
  for await (const chunk of chunks) {
    lifetime.stopWaiting()
    meter.wireBytes += chunk.length
    if (meter.wireBytes > limit) throw fetchTooLarge()
    yield chunk
    lifetime.startWaiting()
  }
  lifetime.stopWaiting()
}
