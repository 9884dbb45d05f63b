import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A request that the reader has read itself. */
export interface PlainRequest {
  /** One of {@link PLAIN_METHODS}. */
  readonly method: string
  /** The request target: a path that begins with `/`, and perhaps a query. */
  readonly url: string
  /** Lower-case names. Each name came once. */
  readonly headers: Readonly<Record<string, string>>
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly socket: Socket
  /** All bytes where they came with the head, else a stream that breaks off with an error when the client leaves. */
  readonly body: Uint8Array | Readable
  /** Whether the client allows another request on the connection. */
  readonly keepsAlive: boolean
}
