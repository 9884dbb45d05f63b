import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import { isInitializeRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { AssistantCaller } from '../../assistant/own-tools.ts'
import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { ALREADY_SENT, HttpReply } from '../../http/http-reply.ts'
import { json } from '../../http/json.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { Session, SessionOwner, Sessions } from './sessions.ts'

/** Largest body of a message, bytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Most objects, arrays and keys of a message. */
const MAX_NODES = 250_000

const VERSION_HEADER = 'mcp-protocol-version'
/** Further headers that the protocol reads. The credential of the caller is not among them. */
const READ_HEADERS = ['accept', 'content-type', 'mcp-session-id', 'last-event-id'] as const

/** Parts of {@link serveMcp}. */
export interface McpParts {
  readonly sessions: Sessions
  readonly bodies: BodyReader
  readonly compression: CompressionPolicy
}

/** Answers a request of the protocol. */
export async function serveMcp(call: Call, parts: McpParts): Promise<HttpReply> {
  const owner = toOwner(call)
  let body: unknown
  if (call.route.method === 'POST') {
    const read = await readMessage(call, parts.bodies)
    if (read instanceof HttpReply) return read
    body = read.value
  }
  const found = await findSession(call, { owner, body, sessions: parts.sessions })
  if (found instanceof HttpReply) return found
  const leave = found.use()
  try {
    const response = await found.handle({ request: toRequest(call, found), body, authInfo: toAuthInfo(call) })
    return await send(call, response, parts)
  } finally {
    leave()
  }
}

function toOwner({ principal: { kind, id, apiKey, scopes } }: Call): SessionOwner {
  return { caller: JSON.stringify([kind, id]), credential: JSON.stringify([kind, id, apiKey?.id, scopes]) }
}

async function findSession(
  call: Call,
  { owner, body, sessions }: { readonly owner: SessionOwner; readonly body: unknown; readonly sessions: Sessions },
): Promise<Session | HttpReply> {
  const id = call.header('mcp-session-id')
  if (id !== undefined) return sessions.find(id, owner) ?? refuse(404, -32_001, 'Session not found')
  if (isInitializeRequest(body)) return await sessions.open(owner, body.params.protocolVersion)
  return refuse(400, -32_000, 'Bad Request: the header Mcp-Session-Id is required')
}

/** The message of a body, which may be any JSON; a refusal for one that is not. */
async function readMessage(call: Call, bodies: BodyReader): Promise<{ readonly value: unknown } | HttpReply> {
  const held = await bodies.read(call, { maxBytes: MAX_BODY_BYTES })
  try {
    const { signal } = call
    return { value: (await parseJsonCooperatively(held.bytes, { maxNodes: MAX_NODES }, { signal })).root.toValue() }
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
    return refuse(400, -32_700, `Parse error: ${error.message}`)
  } finally {
    held.release()
  }
}

function toRequest(call: Call, { protocolVersion }: Session): Request {
  const headers = READ_HEADERS.flatMap((name) => {
    const value = call.header(name)
    return value === undefined ? [] : [[name, value] as [string, string]]
  })
  const named = call.header(VERSION_HEADER)
  // A session speaks the version that it was opened with; the transport refuses one that does not exist.
  const isKnown = named === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(named)
  const version: [string, string] = [VERSION_HEADER, isKnown ? protocolVersion : named]
  return new Request('http://localhost/mcp', { method: call.route.method, headers: [...headers, version] })
}

/** Passes the caller on to the tools. The token stays here. */
function toAuthInfo(call: Call): AuthInfo {
  const caller: AssistantCaller = call
  return { token: '', clientId: call.principal.id, scopes: [], extra: { caller } }
}

/** The caller of a message. */
export function readCaller(authInfo: AuthInfo | undefined): AssistantCaller {
  const caller = authInfo?.extra?.caller
  if (isCaller(caller)) return caller
  throw new SvcError('internal', 'a message without a caller')
}

function isCaller(value: unknown): value is AssistantCaller {
  return typeof value === 'object' && value !== null && 'principal' in value
}

async function send(call: Call, response: Response, { compression }: McpParts): Promise<HttpReply> {
  const headers = Object.fromEntries(response.headers)
  // The edge decides how long a connection stays open.
  delete headers.connection
  const { body, status } = response
  const isStream = headers['content-type'] === 'text/event-stream'
  if (body === null || !isStream) return new HttpReply(body && (await response.text()), { status, headers })
  if (call.incoming.method === 'HEAD') {
    await body.cancel()
    return new HttpReply(null, { status, headers })
  }
  await pump(call, body, { status, headers, compression })
  return ALREADY_SENT
}

/** Sends a stream until it ends, its reader leaves or the caller loses the right to it. */
async function pump(
  call: Call,
  body: ReadableStream<Uint8Array>,
  head: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly compression: CompressionPolicy
  },
): Promise<void> {
  const writer = createReplyWriter(call, head)
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  const { 'content-type': contentType = '', ...headers } = head.headers
  call.signal.addEventListener('abort', cancel, { once: true })
  try {
    if (call.signal.aborted) return cancel()
    writer.startStream(contentType, headers, head.status)
    // The head leaves with the first bytes.
    await writer.write(':\n\n')
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) await writer.write(piece.value)
  } catch (error) {
    cancel()
    if (!call.outgoing.destroyed) throw error
  } finally {
    call.signal.removeEventListener('abort', cancel)
    writer.end()
  }
}

/** A refusal in the form of the protocol. */
function refuse(status: number, code: number, message: string): HttpReply {
  return json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
