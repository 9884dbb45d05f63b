import type { Header, Upstream, UpstreamReply } from '@svc/http-client'
import { type ClientHeader, createHopHeaders } from '@svc/proxy'
import { type Fields, findHeader, isFields, readWhole, tryParseJson } from '@svc/proxy/replies'
import { encodeForm, type FormField } from './multipart.ts'
import { toReplyFailure, toSendFailure, undecodable } from './status.ts'
import type { ServiceTarget } from './target.ts'
import { toRouteUrl } from './url.ts'

/** The largest whole reply, in bytes; it may hold the output of a model. */
const MAX_REPLY_BYTES = 512 * 1024 * 1024

/** Options of every call on another instance. */
export interface ServiceCall {
  readonly signal: AbortSignal
  /** The headers of the client behind the call: its hop count and trace are passed on. */
  readonly client?: ClientHeader | undefined
}

/** The body of a request: JSON, or the fields of a form, with the options of its route. */
export type ServiceBody = (
  | {
      readonly json: Fields
      /** Further members, given as JSON text: large ones are not parsed. */
      readonly texts?: Readonly<Record<string, string>> | undefined
    }
  | { readonly form: readonly FormField[] }
) & {
  readonly headers?: readonly Header[] | undefined
}

/** A reply that is not JSON. */
export interface ServiceBytes {
  readonly headers: readonly Header[]
  /** Slow pulling slows the instance down; leaving early ends the request. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Calls the routes of another instance. Every failure belongs to one of the four classes of §6.5, or to the call.
 */
export interface ServiceTransport {
  readonly target: ServiceTarget
  /** Requests a JSON reply. @throws {SvcError} `internal` when it is not an object */
  ask(path: string, body: ServiceBody, call: ServiceCall): Promise<Fields>
  /** Requests any other reply; without a time limit when it streams. */
  fetch(path: string, body: ServiceBody, call: ServiceCall & { readonly streams: boolean }): Promise<ServiceBytes>
  /** Downloads from an address of the instance. */
  get(url: URL, call: ServiceCall): Promise<ServiceBytes>
}

/** A transport for one model. */
export function createTransport(target: ServiceTarget, upstream: Pick<Upstream, 'send'>): ServiceTransport {
  const { root, timeoutMs, headers: fixed, secrets } = target

  const send = async (
    request: { readonly url: URL; readonly body?: ServiceBody; readonly streams: boolean },
    { signal, client }: ServiceCall,
  ): Promise<UpstreamReply> => {
    const { contentType, bytes } = encodeBody(request.body)
    const own = request.body?.headers ?? []
    const headers: Header[] = [...fixed, ...createHopHeaders(client), ...contentType, ['accept', '*/*'], ...own]
    const reply = await guard(
      upstream.send(
        {
          method: request.body === undefined ? 'GET' : 'POST',
          url: request.url,
          headers,
          body: bytes,
          ...(request.streams ? {} : { timeoutMs }),
        },
        { signal },
      ),
    )
    if (reply.status >= 200 && reply.status < 300) return reply
    throw await guard(toReplyFailure(reply, secrets))
  }

  return {
    target,
    async ask(path, body, call) {
      const reply = await send({ url: toRouteUrl(root, path), body, streams: false }, call)
      const fields = tryParseJson(new TextDecoder().decode(await guard(readWhole(reply.body, MAX_REPLY_BYTES))))
      if (!isFields(fields)) throw undecodable(path)
      return fields
    },
    async fetch(path, body, call) {
      const reply = await send({ url: toRouteUrl(root, path), body, streams: call.streams }, call)
      return { headers: reply.headers, body: guardBody(reply.body) }
    },
    async get(url, call) {
      const reply = await send({ url, streams: false }, call)
      return { headers: reply.headers, body: guardBody(reply.body) }
    },
  }
}

/** Reads the content type of a reply, in lower case and without parameters. */
export function readContentType({ headers }: Pick<ServiceBytes, 'headers'>): string {
  return (findHeader(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Drops the zeros of the contract, which mean that a field is not set. */
export function dropZeros(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value)))
}

function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isFields(value) && Object.keys(value).length === 0
}

function encodeBody(body: ServiceBody | undefined): { contentType: Header[]; bytes: Uint8Array | undefined } {
  if (body === undefined) return { contentType: [], bytes: undefined }
  if ('json' in body) {
    const bytes = new TextEncoder().encode(writeJson(body.json, body.texts))
    return { contentType: [['content-type', 'application/json']], bytes }
  }
  const form = encodeForm(body.form)
  return { contentType: [['content-type', form.contentType]], bytes: form.body }
}

function writeJson(json: Fields, texts: Readonly<Record<string, string>> = {}): string {
  const members = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  if (members.length === 0) return JSON.stringify(json)
  const rest = JSON.stringify(json).slice(1, -1)
  return `{${[...(rest === '' ? [] : [rest]), ...members].join(',')}}`
}

async function guard<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise
  } catch (error) {
    throw toSendFailure(error)
  }
}

async function* guardBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } catch (error) {
    throw toSendFailure(error)
  }
}
