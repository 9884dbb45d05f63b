import { setImmediate } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import { toPublicError } from '../../public-error.ts'
import type { ReplyCollector, ReplyFacts, StreamEncoder } from '../codec.ts'
import type { Exchange } from '../exchange.ts'
import { isGeneration } from '../inference-request.ts'
import { JsonPieces } from '../json-pieces.ts'
import type { Stage } from '../pipeline.ts'
import type { ReplyWriter } from '../ports.ts'

/** Text of in-band errors while `--opaque-errors` is on. */
export const OPAQUE = new SvcError('internal', 'an error occurred')

const NOT_IN_HEADER = /[^ -~]/g
const MAX_WARNING_LENGTH = 1024

/** Writes the reply: one JSON body, or a stream whose headers wait for its first event. */
export function replyStage(options: { readonly clock: Clock; readonly opaqueErrors: boolean }): Stage {
  return (exchange) => {
    const { call } = exchange
    // A relayed reply has been written while it came.
    if (exchange.upstreamStatus !== undefined) return undefined
    const facts: ReplyFacts = {
      model: exchange.requestedModel,
      requestId: call.requestId,
      created: Math.floor(options.clock.now() / 1000),
      extraUsage: call.header('extra-usage') !== undefined,
    }
    return reply(exchange, facts, options.opaqueErrors)
  }
}

async function reply(exchange: Exchange, facts: ReplyFacts, opaque: boolean): Promise<void> {
  const { codec, request, writer } = exchange
  if ('operation' in codec) {
    if (isGeneration(request)) throw new SvcError('internal', 'an operation has no events', { code: 'stage_order' })
    const body = codec.reply(request, exchange.result, facts)
    return await (body instanceof JsonPieces ? writePieces(writer, body) : writer.json(200, body))
  }
  if (!isGeneration(request)) throw new SvcError('internal', 'a prediction has no result', { code: 'stage_order' })
  if (request.stream) return await stream(exchange, codec.stream(request, facts), opaque)
  return await whole(exchange, codec.collect(request, facts))
}

async function writePieces(writer: ReplyWriter, { pieces }: JsonPieces): Promise<void> {
  writer.startStream('application/json')
  for (const piece of pieces) {
    await writer.write(piece)
    await setImmediate()
  }
  writer.end()
}

async function whole(exchange: Exchange, collector: ReplyCollector): Promise<void> {
  for await (const event of exchange.events) collector.event(event)
  await exchange.writer.json(200, collector.body(), warningsOf(exchange))
}

/** What is known to be wrong with a reply before its first byte. */
function warningsOf({ warnings }: Exchange): Readonly<Record<string, string>> | undefined {
  if (warnings.size === 0) return undefined
  const texts = Array.from(warnings, ([code, message]) => `${code}: ${message}`.replaceAll(NOT_IN_HEADER, '?'))
  return { 'x-svc-warning': texts.join('; ').slice(0, MAX_WARNING_LENGTH) }
}

async function stream(exchange: Exchange, encoder: StreamEncoder, opaque: boolean): Promise<void> {
  const { writer } = exchange
  const iterator = exchange.events[Symbol.asyncIterator]()
  try {
    // A failure here still gets a real status: nothing has been sent.
    let step = await iterator.next()
    writer.startStream(encoder.contentType, warningsOf(exchange))
    try {
      let frames = encoder.start(exchange.usage)
      while (step.done !== true) {
        frames += encoder.event(step.value)
        if (frames !== '') await writer.write(frames)
        frames = ''
        step = await iterator.next()
      }
      await writer.write(frames + encoder.end())
    } catch (thrown) {
      await failInBand(exchange, encoder, thrown, opaque)
    }
    writer.end()
  } finally {
    await iterator.return?.()
  }
}

/** After the first byte an error travels in the stream, in the format's own form. */
async function failInBand(exchange: Exchange, encoder: StreamEncoder, thrown: unknown, opaque: boolean): Promise<void> {
  const error = toPublicError(thrown)
  exchange.failure = error
  if (error.kind === 'cancelled' && exchange.writer.isGone) return
  exchange.call.log.warn({ code: error.code, err: error }, 'stream failed')
  await exchange.writer.write(encoder.error(opaque ? OPAQUE : error)).catch(() => undefined)
}
