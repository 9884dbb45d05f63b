import { setImmediate } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import { OPAQUE_ERROR, toPublicError } from '../../public-error.ts'
import type { RequestLedger } from '../core/ledger.ts'
import type { Deliver } from '../core/pipeline.ts'
import type { ReplyWriter } from '../core/ports.ts'
import { traceWriter } from '../tracing/trace-reply.ts'
import { writeContent } from './content.ts'
import { JsonPieces } from './json-pieces.ts'
import type { ContentReply, EventsReply, JsonReply, RelayedReply } from './reply.ts'
import type { ReplyCollector, ReplyFacts, StreamEncoder } from './wire-format.ts'

const NOT_IN_HEADER = /[^ -~]/g
const MAX_WARNING_LENGTH = 1024

/** Options of {@link createDelivery}. */
export interface DeliverOptions {
  readonly clock: Clock
  readonly opaqueErrors: boolean
}

/** Creates the delivery for one writer. */
export type DeliverTo = (writer: ReplyWriter) => Deliver

/** Writes replies: one JSON body, a stream whose headers wait for its first event, content, or the bytes of an upstream. */
export function createDelivery({ clock, opaqueErrors }: DeliverOptions): DeliverTo {
  return (client) => (reply) => {
    if (reply.kind === 'relayed') return relay(reply, client)
    if (reply.kind === 'content') return deliverContent(reply, client, opaqueErrors)
    const { context, ledger } = reply
    const facts: ReplyFacts = {
      model: ledger.replyModel,
      requestId: context.requestId,
      baseUrl: context.baseUrl,
      created: Math.floor(clock.now() / 1000),
      extraUsage: context.header('extra-usage') !== undefined,
    }
    if (reply.kind === 'json') return writeJson(reply, facts, client)
    const { call } = reply
    const writer = observe(client, ledger)
    const recorded = call.record?.(writer) ?? writer
    if (!call.request.stream || call.stream === undefined) return writeWhole(reply, call.collect(facts), recorded)
    return writeStream(reply, call.stream(facts), { writer: recorded, opaque: opaqueErrors })
  }
}

async function relay(reply: RelayedReply, { relayTarget }: ReplyWriter): Promise<void> {
  if (relayTarget === undefined) {
    throw new SvcError('internal', 'this reply cannot be relayed', { code: 'no_relay_target' })
  }
  await reply.relayTo(relayTarget)
}

/** Traces keep the head of content, and none of its bytes. */
async function deliverContent(reply: ContentReply, client: ReplyWriter, opaque: boolean): Promise<void> {
  const { content, context, ledger } = reply
  const writer = observe(client, ledger, { keepsBody: false })
  await writeContent(writer, content, {
    request: context,
    headers: toHeaders(ledger),
    onFailure(thrown) {
      const error = noteFailure(reply, thrown)
      if (error.kind === 'cancelled' && writer.isGone) return undefined
      return content.tellFailure?.(opaque ? OPAQUE_ERROR : error)
    },
  })
}

async function writeJson({ body: encode, ledger }: JsonReply, facts: ReplyFacts, client: ReplyWriter): Promise<void> {
  const body = encode(facts)
  const headers = toHeaders(ledger)
  if (!(body instanceof JsonPieces)) return await observe(client, ledger).json(200, body, headers)
  const writer = observe(client, ledger, { keepsBody: !body.holdsMedia })
  writer.startStream(body.mediaType, headers)
  for await (const piece of body.pieces) {
    await writer.write(piece)
    await setImmediate()
  }
  writer.end()
}

/** Wraps the writer of a client, so that the trace of its request sees the reply. */
function observe(
  client: ReplyWriter,
  { trace, restores }: RequestLedger,
  { keepsBody = true }: { readonly keepsBody?: boolean } = {},
): ReplyWriter {
  return trace === undefined ? client : traceWriter(client, trace, keepsBody && !restores)
}

async function writeWhole(reply: EventsReply, collector: ReplyCollector, writer: ReplyWriter): Promise<void> {
  for await (const events of reply.batches) for (const event of events) collector.event(event)
  await writer.json(200, collector.body(), toHeaders(reply.ledger))
}

/** Headers that name the serving model and the warnings known before the first byte. */
function toHeaders({ headers, warnings }: RequestLedger): Readonly<Record<string, string>> {
  if (warnings.size === 0) return headers
  const texts = Array.from(warnings, ([code, message]) => `${code}: ${message}`.replaceAll(NOT_IN_HEADER, '?'))
  return { ...headers, 'x-svc-warning': texts.join('; ').slice(0, MAX_WARNING_LENGTH) }
}

/** Target of a stream. */
interface StreamTarget {
  readonly writer: ReplyWriter
  /** Whether errors in the stream hide their cause. */
  readonly opaque: boolean
}

async function writeStream(reply: EventsReply, encoder: StreamEncoder, target: StreamTarget): Promise<void> {
  const { writer } = target
  const iterator = reply.batches[Symbol.asyncIterator]()
  try {
    // A failure here still gets a status of its own, because nothing has been sent.
    let step = await iterator.next()
    writer.startStream(encoder.contentType, toHeaders(reply.ledger))
    try {
      // The first batch may hold the whole answer: figures at the start are those of the prompt.
      const { ledger } = reply
      let frames = encoder.start({
        ...(ledger.replayed ?? ledger.usage),
        completionTokens: 0,
        reasoningTokens: undefined,
      })
      while (step.done !== true) {
        for (const event of step.value) frames += encoder.event(event)
        if (frames !== '') await writer.write(frames)
        frames = ''
        step = await iterator.next()
      }
      await writer.write(frames + encoder.end())
    } catch (thrown) {
      await failInBand(reply, encoder, { thrown, ...target })
    }
    writer.end()
  } finally {
    await iterator.return?.()
  }
}

/** Sends an error after the first byte inside the stream, in the form of the format. */
async function failInBand(
  reply: EventsReply,
  encoder: StreamEncoder,
  { thrown, writer, opaque }: StreamTarget & { readonly thrown: unknown },
): Promise<void> {
  const error = noteFailure(reply, thrown)
  if (error.kind === 'cancelled' && writer.isGone) return
  await writer.write(encoder.error(opaque ? OPAQUE_ERROR : error)).catch(() => undefined)
}

/** Notes a failure after the first byte. @returns the error that the client may see */
function noteFailure({ context, ledger }: Pick<EventsReply, 'context' | 'ledger'>, thrown: unknown): SvcError {
  const error = toPublicError(thrown)
  ledger.failure = error
  if (error.kind !== 'cancelled') context.log.warn({ code: error.code, err: error }, 'stream failed')
  return error
}
