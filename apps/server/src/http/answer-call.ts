import type { LimitFigures } from '@svc/auth/limits'
import { SvcError } from '@svc/errors'
import type { UpstreamStatusError } from '@svc/proxy'
import { toPublicError } from '../public-error.ts'
import { limitHeaders } from '../spend/limit-headers.ts'
import type { CallState } from './call.ts'
import { type CompressionPolicy, sendBody } from './compression.ts'
import { endReply } from './end-reply.ts'
import { isRevalidated, isUnchanged } from './entity-tag.ts'
import { errorBody } from './error-envelopes.ts'
import { isPermanent, readContentRange, retryAfterSeconds, toStatus } from './error-map.ts'
import { ALREADY_SENT, type HttpReply } from './http-reply.ts'
import { readAllowedMethods } from './nothing-here.ts'
import type { ErrorFamily } from './route-info.ts'

/** Answers calls. */
export interface CallAnswers {
  /** Sends a handler's reply with the headers that are already set on it. */
  send(call: CallState, reply: HttpReply): Promise<void>
  /** Answers with an error. Cuts a reply that has begun: its writer has sent the error in-band. */
  fail(call: CallState, thrown: unknown, family: ErrorFamily): Promise<void>
}

/** Knows the error of an upstream by its name: its class would load the proxy together with the edge. */
function isUpstreamError(error: SvcError): error is UpstreamStatusError {
  return error.name === 'UpstreamStatusError'
}

/** The reply of an upstream that answered with an error, unchanged (§6.5). */
function upstreamReply({ status, contentType = 'application/octet-stream', body, headers }: UpstreamStatusError) {
  return { status, contentType, body, headers: Object.fromEntries(headers) }
}

/** Creates the answers of an edge. */
export function createCallAnswers({
  compression,
  opaqueErrors,
}: {
  readonly compression: CompressionPolicy
  readonly opaqueErrors: boolean
}): CallAnswers {
  return {
    async fail(call, thrown, family) {
      const error = toPublicError(thrown)
      logFailure(call, { thrown, error })
      const { outgoing } = call
      if (outgoing.headersSent || outgoing.destroyed) {
        if (!outgoing.writableEnded) outgoing.destroy()
        return
      }
      setErrorHeaders(call, error)
      setLimitHeaders(call, error, family)
      if (opaqueErrors) {
        outgoing.writeHead(toStatus(error), { 'Content-Length': 0 })
        endReply(call)
      } else if (isUpstreamError(error)) {
        await sendBody(call, upstreamReply(error), compression)
      } else {
        const body = Buffer.from(JSON.stringify(errorBody(error, family)))
        await sendBody(call, { status: toStatus(error), contentType: 'application/json', body }, compression)
      }
    },
    async send(call, reply) {
      if (reply === ALREADY_SENT) return
      const { status, body } = reply
      const { 'content-type': contentType, ...headers } = reply.headers
      if (body.length === 0 && contentType === undefined) {
        for (const [name, value] of Object.entries(headers)) call.outgoing.setHeader(name, value)
        call.outgoing.writeHead(status, status === 204 || status === 304 ? {} : { 'Content-Length': 0 })
        endReply(call)
        return
      }
      if (status === 200 && isRevalidated(call) && isUnchanged(call, reply)) {
        call.outgoing.writeHead(304, {})
        endReply(call)
        return
      }
      const sent = { status, contentType: contentType ?? 'application/octet-stream', body, headers }
      await sendBody(call, sent, compression)
    },
  }
}

function logFailure(call: CallState, { thrown, error }: { readonly thrown: unknown; readonly error: SvcError }): void {
  const status = toStatus(error)
  if (error.kind === 'internal' && !SvcError.is(thrown)) call.log.error({ err: thrown }, 'request failed unexpectedly')
  else if (status >= 500) call.log.warn({ code: error.code, status, err: error }, 'request failed')
}

/** Tells what is left under a limit that has refused a request. */
function setLimitHeaders({ outgoing }: CallState, { details }: SvcError, family: ErrorFamily): void {
  const figures = details?.figures as LimitFigures | undefined
  if (figures === undefined) return
  for (const [name, value] of Object.entries(limitHeaders(figures, family, Date.now()))) outgoing.setHeader(name, value)
}

function setErrorHeaders({ outgoing }: CallState, error: SvcError): void {
  const retryAfter = retryAfterSeconds(error)
  if (retryAfter !== undefined) outgoing.setHeader('Retry-After', String(retryAfter))
  if (toStatus(error) === 401) outgoing.setHeader('WWW-Authenticate', 'Bearer')
  if (isPermanent(error)) outgoing.setHeader('x-should-retry', 'false')
  const range = readContentRange(error)
  if (range !== undefined) outgoing.setHeader('Content-Range', range)
  const allow = readAllowedMethods(error)
  if (allow !== undefined) outgoing.setHeader('Allow', allow)
}
