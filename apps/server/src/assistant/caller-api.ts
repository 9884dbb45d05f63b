import { decideAccess } from '@svc/auth/access'
import type { InnerCaller } from '../http/inner-call.ts'
import type { InnerCalls } from '../http/inner-calls.ts'
import type { ApiReply, ApiRequest, CallerApi } from './api.ts'

/** Bytes of a reply that a tool reads. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024

/** The API of this process for a caller. The gate and the audit log of each route hold as over HTTP. */
export function createCallerApi(calls: InnerCalls, caller: InnerCaller): CallerApi {
  const { principal } = caller
  return {
    isAdmin: principal.role === 'admin',
    allows(key) {
      const route = calls.find(key)
      return route !== undefined && decideAccess(principal, route) === undefined
    },
    async request(request, { tool, signal }) {
      const route = calls.find(request.route)
      if (route === undefined) return notServed(request)
      const { headers, body } = toBody(request)
      const { params } = request
      const query = toQuery(request)
      const inner = { route, params, query, headers, body, tool, maxBytes: MAX_REPLY_BYTES }
      return toReply(await calls.perform(inner, caller, { signal }))
    },
  }
}

function notServed({ route }: ApiRequest): ApiReply {
  const message = `this server does not have ${route}`
  return { status: 404, json: { error: { message } }, text: message, isCut: false }
}

function toQuery({ query = {} }: ApiRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
}

function toBody({ body, text, headers }: ApiRequest): {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
} {
  if (text !== undefined) return { headers: { ...headers, 'content-type': text.type }, body: Buffer.from(text.value) }
  if (body === undefined) return { headers: { ...headers }, body: undefined }
  return { headers: { ...headers, 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) }
}

function toReply({
  status,
  contentType,
  body,
  isCut,
}: {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  readonly isCut: boolean
}): ApiReply {
  const text = body.toString('utf8')
  return { status, json: isCut || !/\bjson\b/.test(contentType) ? undefined : readJson(text), text, isCut }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
