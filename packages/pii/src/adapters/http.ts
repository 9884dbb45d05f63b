/**
 * Filters of JSON bodies for Express, Hono and Fastify. They import nothing of these.
 *
 * @module
 */
import { SvcError } from '@svc/errors'
import type { DocumentFormat } from '../documents/index.ts'
import { PiiError } from '../errors.ts'
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

/** A request of Express, as far as it is read. */
interface ExpressRequest {
  body?: unknown
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
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
    if (!isParsed(body)) {
      const isEmpty = body === undefined && headers['transfer-encoding'] === undefined && isZero(headers)
      next(isEmpty ? undefined : withStatus(new PiiError('internal', 'express.json() must run before expressPii()')))
      return
    }
    filterParsed(body, options).then((filtered) => {
      request.body = filtered
      next()
    }, next)
  }
}

function isZero(headers: ExpressRequest['headers']): boolean {
  return Number(headers['content-length'] ?? 0) === 0
}

/** Whether a body is a value of JSON and not bytes, which have other parsers. */
function isParsed(body: unknown): boolean {
  return body !== undefined && !ArrayBuffer.isView(body)
}

/** A request of Fastify, as far as it is read. */
interface FastifyRequest {
  body: unknown
}

/**
 * A hook for Fastify that filters `request.body`, before it is validated. A refusal is an error with a `statusCode`.
 *
 * @example
 * fastify.addHook('preValidation', fastifyPii())
 */
export function fastifyPii(options: BodyOptions = {}) {
  return async (request: FastifyRequest): Promise<void> => {
    if (request.body === undefined || request.body === null) return
    if (!isParsed(request.body) || isStream(request.body)) {
      throw withStatus(new PiiError('internal', 'fastifyPii() filters parsed bodies only'))
    }
    request.body = await filterParsed(request.body, options)
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
 * new request; one without a body stays as it is.
 *
 * @throws SvcError `pii_blocked`, `pii_unclear_body` for a body that is not JSON, `pii_ner_unavailable`
 */
export async function filterRequest(request: Request, options: BodyOptions = {}): Promise<Request> {
  if (request.body === null) return request
  const headers = new Headers(request.headers)
  // the length of the body that is replaced
  headers.delete('content-length')
  const filtered = await filterParsed(await readJson(request), options)
  return new Request(request, { headers, body: JSON.stringify(filtered) })
}

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return JSON.parse(text)
  } catch {
    throw withStatus(new PiiError('invalid_request', 'the body is not JSON', { code: 'pii_unclear_body' }))
  }
}
