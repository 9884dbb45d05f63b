import type { ByteRewriter, ReplyTarget } from '@svc/proxy'
import type { RequestTrace } from '../../monitoring/traces/request-trace.ts'
import type { PredictionStep, StepBatches } from '../core/events.ts'
import type { ReplyWriter } from '../core/ports.ts'

/** Wraps the writer of a client, so that a trace sees the reply. @param keepsBody false when values are put back in it */
export function traceWriter(writer: ReplyWriter, trace: RequestTrace, keepsBody: boolean): ReplyWriter {
  return new TracedWriter(writer, trace, keepsBody)
}

// Classes: accessors in an object literal are a new shape for the engine each time, which costs each request.
class TracedWriter implements ReplyWriter {
  readonly #writer: ReplyWriter
  readonly #trace: RequestTrace
  readonly #keepsBody: boolean

  constructor(writer: ReplyWriter, trace: RequestTrace, keepsBody: boolean) {
    this.#writer = writer
    this.#trace = trace
    this.#keepsBody = keepsBody
  }

  get started(): boolean {
    return this.#writer.started
  }

  get isGone(): boolean {
    return this.#writer.isGone
  }

  get dropsBody(): boolean {
    return this.#writer.dropsBody === true
  }

  get relayTarget(): ReplyTarget | undefined {
    return this.#writer.relayTarget
  }

  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void> {
    this.#trace.beginReply(status, 'application/json')
    if (this.#keepsBody && this.#trace.keepsBodies) this.#trace.keepReply(JSON.stringify(value))
    return this.#writer.json(status, value, headers)
  }

  startStream(contentType: string, headers?: Readonly<Record<string, string>>, status = 200): void {
    this.#trace.beginReply(status, contentType)
    this.#writer.startStream(contentType, headers, status)
  }

  write(frame: string | Uint8Array): Promise<void> {
    if (this.#keepsBody) this.#trace.keepReply(frame)
    return this.#writer.write(frame)
  }

  end(): void {
    this.#writer.end()
  }
}

const FAILURES = 400

/** Wraps the target of a relayed reply. @param restores whether values are put back in replies that are not failures */
export function traceRelayTarget(target: ReplyTarget, trace: RequestTrace, restores: boolean): ReplyTarget {
  return new TracedTarget(target, trace, restores)
}

class TracedTarget implements ReplyTarget {
  readonly #target: ReplyTarget
  readonly #trace: RequestTrace
  readonly #restores: boolean
  #keepsBody = true

  constructor(target: ReplyTarget, trace: RequestTrace, restores: boolean) {
    this.#target = target
    this.#trace = trace
    this.#restores = restores
  }

  get headersSent(): boolean {
    return this.#target.headersSent
  }

  get writableEnded(): boolean {
    return this.#target.writableEnded
  }

  get writableFinished(): boolean {
    return this.#target.writableFinished
  }

  get destroyed(): boolean {
    return this.#target.destroyed
  }

  writeHead(status: number, headers: string[]): unknown {
    const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
    this.#trace.beginReply(status, at < 0 ? undefined : headers[at + 1])
    this.#keepsBody = !this.#restores || status >= FAILURES
    return this.#target.writeHead(status, headers)
  }

  write(text: string, encoding: 'latin1'): boolean {
    if (this.#keepsBody) this.#trace.keepReply(text, encoding)
    return this.#target.write(text, encoding)
  }

  end(body?: string): unknown {
    if (body === undefined) return this.#target.end()
    if (this.#keepsBody) this.#trace.keepReply(body, 'latin1')
    return this.#target.end(body, 'latin1')
  }

  destroy(): unknown {
    return this.#target.destroy()
  }

  on(event: 'close', listener: () => void): unknown {
    return this.#target.on(event, listener)
  }

  once(event: 'drain', listener: () => void): unknown {
    return this.#target.once(event, listener)
  }

  off(event: 'drain', listener: () => void): unknown {
    return this.#target.off(event, listener)
  }
}

/** Wraps a rewriter that puts values back, so that a trace sees the bytes before. */
export function traceRewriter(rewriter: ByteRewriter, trace: RequestTrace): ByteRewriter {
  return {
    push(bytes) {
      trace.keepReply(bytes)
      return rewriter.push(bytes)
    },
    end: () => rewriter.end(),
  }
}

/** Keeps the text of a prediction in a trace, one step a line, before values are put back in it. */
export async function* traceSteps(batches: StepBatches, trace: RequestTrace): StepBatches {
  for await (const steps of batches) {
    for (const step of steps) if (hasText(step)) trace.keepReply(`${JSON.stringify(step)}\n`)
    yield steps
  }
}

function hasText({ type }: PredictionStep): boolean {
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-start' || type === 'tool-call-delta'
}
