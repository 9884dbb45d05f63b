/**
 * Filters of JSON bodies for Express, Hono and Fastify. They import nothing of these.
 *
 * @module
 */
import { SvcError } from '@svc/errors'
import { defaultDetectors } from '../default-detectors.ts'
import type { DocumentFormat } from '../documents/index.ts'
import { PiiError, piiBlocked } from '../errors.ts'
import { filterBody } from '../filter-body.ts'
import { filterValue, type ValueOptions } from './filter-value.ts'

/** Options of filtering bodies. */
export interface BodyOptions extends Omit<ValueOptions, 'reversible' | 'signal'> {
  /** @default 'json': every text of any JSON */
  readonly format?: DocumentFormat | undefined
}

const STATUS: Partial<Record<string, number>> = { invalid_request: 400, too_large: 413, unavailable: 503 }

/** Filters a parsed body. @throws PiiError with the `status` and `statusCode` that frameworks answer with */
async function filterParsed(body: unknown, { format = 'json', ...options }: BodyOptions): Promise<unknown> {
  try {
    const { value } = await filterValue(body, { ...options, format })
    return value
  } catch (error) {
    throw withStatus(error)
  }
}

/** The error with a status, and without the text of an unexpected one. */
function withStatus(thrown: unknown): SvcError & { readonly status: number; readonly statusCode: number } {
  const error = SvcError.is(thrown) ? thrown : new PiiError('internal', 'the body cannot be filtered')
  const status = STATUS[error.kind] ?? 500
  return Object.assign(error, { status, statusCode: status })
}

type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request of Express, as far as it is read. */
interface ExpressRequest {
  body?: unknown
  readonly headers: HeaderFields
  /** Whether the stream of the body has been read to its end. */
  readonly readableEnded?: boolean | undefined
}

/**
 * A middleware for Express that filters `request.body`, after `express.json()`. A body that nothing has parsed is
 * refused: it would go on unfiltered. A refusal goes to the error handler, with a `status`.
 *
 * @example
 * app.use(express.json(), expressPii())
 */
export function expressPii(options: BodyOptions = {}) {
  return (request: ExpressRequest, _response: unknown, next: (error?: unknown) => void): void => {
    const { body, headers } = request
    if (!isParsed(body) || isUnread(request)) {
      const isEmpty = (body === undefined || isBlank(body)) && !hasBody(headers)
      next(isEmpty ? undefined : withStatus(new PiiError('internal', 'express.json() must run before expressPii()')))
      return
    }
    filterParsed(body, options).then((filtered) => {
      request.body = filtered
      next()
    }, next)
  }
}

/** Whether a request says that it has a body. */
function hasBody(headers: HeaderFields): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Whether the body is the empty object that the parsers of Express 4 give for a body that they leave to others. */
function isUnread({ body, readableEnded }: ExpressRequest): boolean {
  return readableEnded === false && isBlank(body)
}

function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

/** Whether a body is a value of JSON and not bytes, which have other parsers. */
function isParsed(body: unknown): boolean {
  return body !== undefined && !ArrayBuffer.isView(body)
}

/** A request of Fastify, as far as it is read. */
interface FastifyRequest {
  body: unknown
  readonly headers: HeaderFields
}

/**
 * A hook for Fastify that filters `request.body`, before it is validated. A body that nothing has parsed, such as a form
 * of several parts, is refused. A refusal is an error with a `statusCode`.
 *
 * @example
 * fastify.addHook('preValidation', fastifyPii())
 */
export function fastifyPii(options: BodyOptions = {}) {
  return async (request: FastifyRequest): Promise<void> => {
    const { body, headers } = request
    if (body === null || (body === undefined && !hasBody(headers))) return
    if (!isParsed(body) || isStream(body)) {
      throw withStatus(new PiiError('internal', 'fastifyPii() filters parsed bodies only'))
    }
    request.body = await filterParsed(body, options)
  }
}

function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'pipe' in body && typeof body.pipe === 'function'
}

/** A context of Hono, as far as it is read. */
interface HonoContext {
  readonly req: { raw: Request; json(): Promise<unknown> }
}

/**
 * A middleware for Hono that filters JSON bodies: it puts a request with the filtered body in place of `c.req.raw`.
 * Answers 400 for a body that is not JSON, and for a refusal.
 *
 * @example
 * app.use('/api/*', honoPii())
 */
export function honoPii(options: BodyOptions = {}) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const { raw } = context.req
    if (raw.body === null) {
      await next()
      return undefined
    }
    try {
      context.req.raw = await filterRequest(raw, options)
    } catch (error) {
      const { status, code, message } = withStatus(error)
      return Response.json({ error: { type: code, message } }, { status })
    }
    await next()
    return undefined
  }
}

/**
 * Filters the JSON body of a request of the web platform, such as one of a service worker or an edge runtime. Returns a
 * new request, in which every byte but those of masked texts is as it was; one without a body stays as it is.
 *
 * @throws SvcError `pii_blocked`, `pii_unclear_body` for a body that is not JSON, `pii_ner_unavailable`; the reason of
 *   the request's signal
 */
export async function filterRequest(request: Request, options: BodyOptions = {}): Promise<Request> {
  if (request.body === null) return request
  const headers = new Headers(request.headers)
  // the length of the body that is replaced
  headers.delete('content-length')
  return new Request(request, { headers, body: await filterBytes(request, options) })
}

async function filterBytes(
  request: Request,
  { format = 'json', detectors = defaultDetectors(), ...options }: BodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = withoutMark(new Uint8Array(await request.arrayBuffer()))
    const filtered = await filterBody(bytes, { ...options, format, detectors, signal: request.signal })
    if (filtered.blocked) throw piiBlocked()
    return new Uint8Array(filtered.body)
  } catch (error) {
    request.signal.throwIfAborted()
    throw withStatus(isSyntaxError(error) ? notJson() : error)
  }
}

/** The bytes without a byte order mark, which readers of JSON drop. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function isSyntaxError(error: unknown): boolean {
  return SvcError.is(error) && error.code === 'json_syntax'
}

function notJson(): PiiError {
  return new PiiError('invalid_request', 'the body is not JSON', { code: 'pii_unclear_body' })
}
