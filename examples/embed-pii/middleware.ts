import type { IncomingMessage, ServerResponse } from 'node:http'
import { SvcError } from '@svc/errors'
import { type FilterBodyOptions, filterBody } from '@svc/pii'
import { PiiError, piiBlocked } from '@svc/pii/errors'

/** A request whose body has been read, like `req` in Connect, Express and similar frameworks. */
export type FilteredRequest = IncomingMessage & { body?: Uint8Array }

type Middleware = (request: FilteredRequest, response: ServerResponse, next: () => void) => Promise<void>

const MAX_BODY_BYTES = 10 * 1024 * 1024

/** Reads the body, filters it, and continues with `request.body`, or answers itself. Runs before any body parser. */
export function piiFilter(options: FilterBodyOptions): Middleware {
  return async (request, response, next) => {
    const left = new AbortController()
    response.once('close', () => left.abort())
    try {
      const body = await readBody(request)
      const filtered = await filterBody(body, { ...options, signal: left.signal })
      if (filtered.blocked) throw piiBlocked()
      request.body = filtered.body
    } catch (error) {
      // After any failure no part of the request is passed on.
      if (!response.destroyed) refuse(response, error)
      return
    }
    next()
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request) {
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new SvcError('too_large', 'request body too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const STATUS: Partial<Record<string, number>> = { invalid_request: 400, too_large: 413, unavailable: 503 }

/** Answers with an error; an unexpected error is not shown. */
function refuse(response: ServerResponse, thrown: unknown): void {
  const error = SvcError.is(thrown) ? thrown : new PiiError('internal', 'internal error')
  if (error.retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(error.retryAfterMs / 1000))
  response.writeHead(STATUS[error.kind] ?? 500, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { type: error.details?.type ?? error.code, message: error.message } }))
}
