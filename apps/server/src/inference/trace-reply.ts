import type { ByteRewriter, ReplyTarget } from '@svc/proxy'
import type { RequestTrace } from '../monitoring/traces/request-trace.ts'
import type { PredictionStep, StepBatches } from './events.ts'
import type { ReplyWriter } from './ports.ts'

/** Wraps the writer of a client, so that a trace sees the reply. @param keepsBody false when values are put back in it */
export function traceWriter(writer: ReplyWriter, trace: RequestTrace, keepsBody: boolean): ReplyWriter {
  return {
    get started() {
      return writer.started
    },
    get isGone() {
      return writer.isGone
    },
    get relayTarget() {
      return writer.relayTarget
    },
    json(status, value, headers) {
      trace.beginReply(status, 'application/json')
      if (keepsBody && trace.keepsBodies) trace.keepReply(JSON.stringify(value))
      return writer.json(status, value, headers)
    },
    startStream(contentType, headers) {
      trace.beginReply(200, contentType)
      writer.startStream(contentType, headers)
    },
    write(frame) {
      if (keepsBody) trace.keepReply(frame)
      return writer.write(frame)
    },
    end: () => writer.end(),
  }
}

const FAILURES = 400

/** Wraps the target of a relayed reply. @param restores whether values are put back in replies that are no failure */
export function traceRelayTarget(target: ReplyTarget, trace: RequestTrace, restores: boolean): ReplyTarget {
  let keepsBody = true
  const keep = (text: string): void => {
    if (keepsBody) trace.keepReply(text, 'latin1')
  }
  return {
    get headersSent() {
      return target.headersSent
    },
    get writableEnded() {
      return target.writableEnded
    },
    get writableFinished() {
      return target.writableFinished
    },
    get destroyed() {
      return target.destroyed
    },
    writeHead(status, headers) {
      const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
      trace.beginReply(status, at < 0 ? undefined : headers[at + 1])
      keepsBody = !restores || status >= FAILURES
      return target.writeHead(status, headers)
    },
    write(text, encoding) {
      keep(text)
      return target.write(text, encoding)
    },
    end(body?: string) {
      if (body === undefined) return target.end()
      keep(body)
      return target.end(body, 'latin1')
    },
    destroy: () => target.destroy(),
    on: (event, listener) => target.on(event, listener),
    once: (event, listener) => target.once(event, listener),
    off: (event, listener) => target.off(event, listener),
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
