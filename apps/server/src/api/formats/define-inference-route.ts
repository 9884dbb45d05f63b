import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { ALREADY_SENT, type HttpReply } from '../../http/http-reply.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { Route } from '../../http/route.ts'
import type { RouteRow } from '../../http/route-row.ts'
import type { DeliverTo } from '../../inference/deliver-reply.ts'
import type { IncomingRequest, RequestCore } from '../../inference/pipeline.ts'
import type { HeldBytes, RequestBody } from '../../inference/ports.ts'
import type { WireFormat } from '../../inference/wire-format.ts'

/** A route whose requests pass the request core. */
export interface InferenceRow extends RouteRow {
  /** The use that a model must have to serve it. */
  readonly usecase: string
  readonly scanned: NonNullable<RouteRow['scanned']>
}

/** The query of routes that take a model's name there. A name in the body goes before it. */
export const modelQuery = async () => (await import('./model-query.ts')).modelQuery

/** What inference routes share. */
export interface InferenceRouteParts {
  readonly core: RequestCore
  readonly deliverTo: DeliverTo
  readonly compression: CompressionPolicy
  readonly bodies: Pick<BodyReader, 'read' | 'readWhole'>
}

/** Joins a row, its wire format and the request core into a route. Its first request loads the format. */
export function defineInferenceRoute(
  row: InferenceRow,
  loadFormat: () => Promise<WireFormat>,
  parts: InferenceRouteParts,
): Route {
  let format: WireFormat | undefined
  const serveFirst = async (call: Call): Promise<HttpReply> => {
    format = await loadFormat()
    return serveCall(call, format, parts)
  }
  return { ...row, handler: (call) => (format === undefined ? serveFirst(call) : serveCall(call, format, parts)) }
}

/** Serves the request of an HTTP call. */
export async function serveCall(
  call: Call,
  format: WireFormat,
  { core, deliverTo, compression, bodies }: InferenceRouteParts,
): Promise<HttpReply> {
  await core.serve(toIncomingRequest(call, format, bodies), deliverTo(createReplyWriter(call, { compression })))
  return ALREADY_SENT
}

/** A call as the core takes it. */
export function toIncomingRequest(
  call: Call,
  format: WireFormat,
  bodies: InferenceRouteParts['bodies'],
): IncomingRequest {
  return {
    context: call,
    format,
    source: { body: new BodyOfCall(bodies, call) },
    // A name in the path goes before one in the query.
    addressedModel: call.param('model') || call.query('model') || undefined,
  }
}

/** The body of a call. */
class BodyOfCall implements RequestBody {
  readonly #reader: InferenceRouteParts['bodies']
  readonly #call: Call

  constructor(reader: InferenceRouteParts['bodies'], call: Call) {
    this.#reader = reader
    this.#call = call
  }

  whole(): HeldBytes | undefined {
    return this.#reader.readWhole(this.#call)
  }

  read(): Promise<HeldBytes> {
    return this.#reader.read(this.#call)
  }
}
