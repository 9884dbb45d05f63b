import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import type { FormReader } from '../../http/forms/form-reader.ts'
import { ALREADY_SENT, type HttpReply } from '../../http/http-reply.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { Route } from '../../http/route.ts'
import type { RouteInfo } from '../../http/route-info.ts'
import type { IncomingRequest, RequestCore } from '../../inference/core/pipeline.ts'
import type { HeldBytes, RequestBody } from '../../inference/core/ports.ts'
import type { FormRules, HeldForm } from '../../inference/documents/form.ts'
import type { DeliverTo } from '../../inference/replies/deliver-reply.ts'
import type { WireFormat } from '../../inference/replies/wire-format.ts'

/** A route whose requests pass the request core. */
export interface InferenceRouteInfo extends RouteInfo {
  /** The usecase that its model must have. */
  readonly usecase: string
  readonly scanned: NonNullable<RouteInfo['scanned']>
}

/** Query of routes that accept a model's name there. A name in the body takes precedence. */
export const modelQuery = async () => (await import('./model-query.ts')).modelQuery

/** Common options of inference routes. */
export interface InferenceRouteParts {
  readonly core: RequestCore
  readonly deliverTo: DeliverTo
  readonly compression: CompressionPolicy
  readonly bodies: Pick<BodyReader, 'read' | 'readWhole'>
  readonly forms: Pick<FormReader, 'read'>
}

/** Joins a route declaration, its wire format and the request core into a route. Its first request loads the format. */
export function defineInferenceRoute(
  route: InferenceRouteInfo,
  loadFormat: () => Promise<WireFormat>,
  parts: InferenceRouteParts,
): Route {
  let format: WireFormat | undefined
  const serveFirst = async (call: Call): Promise<HttpReply> => {
    format = await loadFormat()
    return serveCall(call, format, parts)
  }
  return { ...route, handler: (call) => (format === undefined ? serveFirst(call) : serveCall(call, format, parts)) }
}

/** Serves the request of an HTTP call. */
export function serveCall(call: Call, format: WireFormat, parts: InferenceRouteParts): Promise<HttpReply> {
  return serveIncoming(call, toIncomingRequest(call, format, parts), parts)
}

/** Serves the request of an HTTP call that has no body. */
export function serveWithoutBody(call: Call, format: WireFormat, parts: InferenceRouteParts): Promise<HttpReply> {
  return serveIncoming(call, { ...toIncomingRequest(call, format, parts), source: { body: NO_BODY } }, parts)
}

async function serveIncoming(call: Call, incoming: IncomingRequest, parts: InferenceRouteParts): Promise<HttpReply> {
  const { core, deliverTo, compression } = parts
  await core.serve(incoming, deliverTo(createReplyWriter(call, { compression })))
  return ALREADY_SENT
}

const EMPTY_OBJECT: HeldBytes = { bytes: Buffer.from('{}'), release: () => undefined }

/** Counts as an empty object. */
const NO_BODY: RequestBody = {
  whole: () => EMPTY_OBJECT,
  read: async () => EMPTY_OBJECT,
  form: () => Promise.reject(new Error('a request without a body has no form')),
}

/** Converts a call to a request of the core. */
export function toIncomingRequest(call: Call, format: WireFormat, parts: BodyReaders): IncomingRequest {
  return {
    context: call,
    format,
    source: { body: new BodyOfCall(parts, call) },
    // A name in the path takes precedence over one in the query.
    addressedModel: call.param('model') || call.query('model') || undefined,
  }
}

/** Readers of bodies of any kind. */
type BodyReaders = Pick<InferenceRouteParts, 'bodies' | 'forms'>

/** The body of a call. */
class BodyOfCall implements RequestBody {
  readonly #readers: BodyReaders
  readonly #call: Call

  constructor(readers: BodyReaders, call: Call) {
    this.#readers = readers
    this.#call = call
  }

  whole(): HeldBytes | undefined {
    return this.#readers.bodies.readWhole(this.#call)
  }

  read(): Promise<HeldBytes> {
    return this.#readers.bodies.read(this.#call)
  }

  form(rules: FormRules): Promise<HeldForm> {
    return this.#readers.forms.read(this.#call, rules)
  }
}
