import { SvcError } from '@svc/errors'
import { toHttpError } from '../../http/error-map.ts'
import type { Clock } from '../../ports.ts'
import type { ReplyFacts, StreamEncoder } from '../codec.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'

/** Text of in-band errors while `--opaque-errors` is on. */
const OPAQUE = new SvcError('internal', 'an error occurred')

/** Writes the reply: one JSON body, or a stream whose headers wait for its first event. */
export function replyStage(options: { readonly clock: Clock; readonly opaqueErrors: boolean }): Stage {
  return async (exchange, next) => {
    const { call, codec, request } = exchange
    const facts: ReplyFacts = {
      model: exchange.requestedModel,
      requestId: call.requestId,
      created: Math.floor(options.clock.now() / 1000),
      extraUsage: call.header('extra-usage') !== undefined,
    }
    if (request.stream) await stream(exchange, codec.stream(request, facts), options.opaqueErrors)
    else await whole(exchange, facts)
    await next()
  }
}

async function whole(exchange: Exchange, facts: ReplyFacts): Promise<void> {
  const collector = exchange.codec.collect(exchange.request, facts)
  for await (const event of exchange.events) collector.event(event)
  await exchange.writer.json(200, collector.body())
}

async function stream(exchange: Exchange, encoder: StreamEncoder, opaque: boolean): Promise<void> {
  const { writer } = exchange
  const iterator = exchange.events[Symbol.asyncIterator]()
  try {
    // A failure here still gets a real status: nothing has been sent.
    let step = await iterator.next()
    writer.startStream(encoder.contentType)
    try {
      let frames = encoder.start()
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
  const error = toHttpError(thrown)
  exchange.failure = error
  if (error.kind === 'cancelled' && exchange.call.outgoing.destroyed) return
  exchange.call.log.warn({ code: error.code, err: error.cause ?? error }, 'stream failed')
  await exchange.writer.write(encoder.error(opaque ? OPAQUE : error)).catch(() => undefined)
}
