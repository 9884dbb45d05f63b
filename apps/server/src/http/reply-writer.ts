import { SvcError } from '@svc/errors'
import type { ReplyWriter } from '../inference/core/ports.ts'
import { type CompressionPolicy, sendBody } from './compression.ts'
import type { ServerReply, ServerRequest } from './messages.ts'

/** Time that a reader may accept no byte before its stream is closed, milliseconds (threats REL-3). */
export const READ_STALL_MS = 60_000

const encoder = new TextEncoder()

/** A call as its writer needs it. */
type WrittenCall = { readonly incoming: ServerRequest; readonly outgoing: ServerReply }

/** Makes the writer of one call. */
export function createReplyWriter(
  call: WrittenCall,
  options: { readonly compression: CompressionPolicy; readonly stallMs?: number },
): ReplyWriter {
  return new NodeReplyWriter(call, options.compression, options.stallMs ?? READ_STALL_MS)
}

// A class: an accessor in an object literal is a new shape for the engine each time, which keeps the call in memory
// until the next full collection.
class NodeReplyWriter implements ReplyWriter {
  readonly #call: WrittenCall
  readonly #compression: CompressionPolicy
  readonly #stallMs: number

  constructor(call: WrittenCall, compression: CompressionPolicy, stallMs: number) {
    this.#call = call
    this.#compression = compression
    this.#stallMs = stallMs
  }

  get started(): boolean {
    return this.#call.outgoing.headersSent
  }

  get isGone(): boolean {
    return this.#call.outgoing.destroyed
  }

  get dropsBody(): boolean {
    return this.#call.incoming.method === 'HEAD'
  }

  get relayTarget(): ServerReply {
    return this.#call.outgoing
  }

  setHeader(name: string, value: string): void {
    if (!this.started) this.#call.outgoing.setHeader(name, value)
  }

  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void> {
    const body = encoder.encode(JSON.stringify(value))
    return sendBody(this.#call, { status, contentType: 'application/json', body, headers }, this.#compression)
  }

  startStream(contentType: string, headers?: Readonly<Record<string, string>>, status = 200): void {
    this.#call.outgoing.writeHead(status, {
      'Content-Type': contentType,
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
      ...headers,
    })
  }

  write(frame: string | Uint8Array): Promise<void> {
    const { outgoing } = this.#call
    if (outgoing.destroyed || outgoing.writableEnded) return Promise.reject(readerGone())
    return outgoing.write(frame) ? WRITTEN : waitForDrain(outgoing, this.#stallMs)
  }

  end(): void {
    const { outgoing } = this.#call
    if (!outgoing.writableEnded) outgoing.end()
  }
}

const WRITTEN = Promise.resolve()

/** Creates the failure of a write for a reader that has left. */
export function readerGone(): SvcError {
  return new SvcError('cancelled', 'the client closed the connection', { code: 'client_gone' })
}

/** Whether a failure is that of a reader that has left, or takes nothing. */
export function isReaderGone(error: unknown): boolean {
  return SvcError.is(error) && (error.code === 'client_gone' || error.code === 'client_stalled')
}

/**
 * Waits until a reader has taken the written bytes; a reader that takes nothing for `stallMs` is cut off.
 *
 * @throws {SvcError} `cancelled` when the reader is gone or has stalled
 */
export function waitForDrain(outgoing: Pick<ServerReply, 'destroy' | 'on' | 'off'>, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: SvcError): void => {
      clearTimeout(timer)
      outgoing.off('drain', onDrain)
      outgoing.off('close', onClose)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onDrain = (): void => settle()
    const onClose = (): void => settle(readerGone())
    const timer = setTimeout(() => {
      outgoing.destroy()
      settle(new SvcError('cancelled', 'the client stopped reading', { code: 'client_stalled' }))
    }, stallMs)
    timer.unref()
    outgoing.on('drain', onDrain)
    outgoing.on('close', onClose)
  })
}
