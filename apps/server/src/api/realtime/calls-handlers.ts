import { parseJsonCooperatively } from '@svc/json'
import { type RealtimeSessionFields, realtimeSessionFields } from '@svc/wire/realtime'
import type { BodyReader } from '../../http/body.ts'
import type { Call, DerivedCall } from '../../http/call.ts'
import type { FormReader } from '../../http/forms/form-reader.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { json } from '../../http/json.ts'
import { numberId } from '../../http/number-id.ts'
import { ACCESS_ENDED } from '../../http/websocket.ts'
import { readBody } from '../../inference/documents/read-body.ts'
import { unparsable } from '../../inference/documents/unparsable.ts'
import type { Clock } from '../../ports.ts'
import type { Calls } from '../../realtime/calls/calls.ts'
import { readOffer } from '../../realtime/calls/sdp/read-offer.ts'
import { MAX_SDP_BYTES } from '../../realtime/calls/sdp/split-description.ts'
import type { Realtime } from '../../realtime/open-session.ts'
import type { RealtimePeer, RealtimeSession } from '../../realtime/ports.ts'
import type { BeginTurn } from '../../realtime/session/turn-caller.ts'
import { readRequestTags, TAGS_HEADER } from '../../spend/request-tags.ts'
import { readJsonBody } from '../read-json-body.ts'
import { bindToSecret, type FindSecret, type SessionWish } from './bind-to-secret.ts'
import { callBody, callForm } from './calls-schemas.ts'
import { createThrottle } from './throttle.ts'

/** Parts of the routes of calls. */
export interface CallRouteParts {
  readonly open: Realtime['open']
  /** The calls of the server; made with the first one. */
  readonly calls: () => Promise<Calls>
  readonly bodies: BodyReader
  readonly forms: Pick<FormReader, 'read'>
  readonly findSecret: FindSecret
  /** Time in which nobody speaks or answers after which a session ends, milliseconds; 0 = never. */
  readonly idleMs: () => number
  readonly clock: Clock
}

/** What a client asks for. */
interface CallWish extends SessionWish {
  readonly sdp: string
  readonly isJson: boolean
}

/** `POST /v1/realtime/calls`. */
export async function openRealtimeCall(call: Call, parts: CallRouteParts): Promise<HttpReply> {
  readRequestTags(call.header(TAGS_HEADER))
  const wish = await bindToSecret(await readWish(call, parts), call, parts.findSecret)
  const offer = readOffer(wish.sdp)
  const calls = await parts.calls()
  // The client may have taken long for the offer.
  await call.confirm()
  const rights = call.derive()
  try {
    const opened = await calls.open({
      offer,
      accountId: call.principal.id,
      clientAddress: call.clientAddress,
      idleMs: parts.idleMs,
      log: call.log,
      signal: call.signal,
      openSession: (peer) => openSession(peer, { call, wish, rights, parts }),
      onOver: rights.close,
    })
    endWithRights(rights, opened.close)
    const location = `${call.baseUrl}v1/realtime/calls/${opened.id}`
    if (wish.isJson) return json({ sdp: opened.answer, session_id: opened.sessionId }, { headers: { location } })
    return new HttpReply(opened.answer, { status: 201, headers: { 'content-type': 'application/sdp', location } })
  } catch (error) {
    rights.close()
    throw error
  }
}

/** Begins the conversation. Its client sends no more events in a second than one on a WebSocket. */
async function openSession(
  peer: RealtimePeer,
  {
    call,
    wish,
    rights,
    parts,
  }: {
    readonly call: Call
    readonly wish: CallWish
    readonly rights: DerivedCall
    readonly parts: CallRouteParts
  },
): Promise<RealtimeSession> {
  const { principal, log, signal } = call
  const { model, fields } = wish
  const session = await parts.open({ peer, model, fields, principal, log, begin: createBegin(rights) }, { signal })
  const throttle = createThrottle(parts.clock)
  return {
    ...session,
    async receive(event) {
      await session.receive(event)
      if (!peer.signal.aborted) await throttle.pass(peer.signal)?.catch(() => undefined)
    },
  }
}

/** `POST /v1/realtime/calls/:call_id/hangup`. */
export async function hangUpCall(call: Call, parts: CallRouteParts): Promise<HttpReply> {
  const calls = await parts.calls()
  await calls.hangUp(call.param('call_id'), call.principal.id)
  return json({})
}

/** Ends a call whose opener has lost the right to it. */
function endWithRights({ call: { signal } }: DerivedCall, close: (code: 1008, reason: string) => void): void {
  const end = (): void => close(1008, ACCESS_ENDED)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}

/** Begins the turns of a call with the rights of the moment. */
function createBegin({ call }: DerivedCall): BeginTurn {
  return async (turn, { signal }) => {
    const requestId = numberId(call.requestId, turn)
    const derived = call.derive({ requestId, signal })
    try {
      await derived.call.confirm()
      return { caller: derived.call, signal: derived.call.signal, close: derived.close }
    } catch (error) {
      derived.close()
      throw error
    }
  }
}

async function readWish(call: Call, parts: CallRouteParts): Promise<CallWish> {
  const [type = ''] = (call.header('content-type') ?? '').split(';')
  const asked = call.query('model') ?? ''
  switch (type.trim().toLowerCase()) {
    case 'application/sdp':
      return { sdp: await readText(call, parts), model: asked, fields: undefined, isJson: false }
    case 'multipart/form-data':
      return { ...(await readForm(call, parts, asked)), isJson: false }
    default: {
      const { sdp, model, session } = await readJsonBody(call, callBody, parts.bodies)
      const fields = session ?? undefined
      return { sdp, model: model ?? fields?.model ?? asked, fields: withoutModel(fields), isJson: true }
    }
  }
}

async function readText(call: Call, { bodies }: CallRouteParts): Promise<string> {
  const held = await bodies.read(call, { maxBytes: MAX_SDP_BYTES })
  try {
    return Buffer.from(held.bytes).toString()
  } finally {
    held.release()
  }
}

async function readForm(
  call: Call,
  { forms }: CallRouteParts,
  asked: string,
): Promise<Pick<CallWish, 'sdp' | 'model' | 'fields'>> {
  const form = await forms.read(call, { files: {} })
  try {
    const { sdp, session } = await readBody(callForm, form.texts, call.signal)
    if (session === undefined) return { sdp, model: asked, fields: undefined }
    const document = await parseJsonCooperatively(Buffer.from(session), {}, { signal: call.signal }).catch(() => {
      throw unparsable('session: is not JSON', 'session')
    })
    const fields = await readBody(realtimeSessionFields, document, call.signal)
    return { sdp, model: fields.model ?? asked, fields: withoutModel(fields) }
  } finally {
    form.release()
  }
}

function withoutModel(fields: RealtimeSessionFields | undefined): RealtimeSessionFields | undefined {
  if (fields === undefined) return undefined
  const { model: _model, ...rest } = fields
  return rest
}
