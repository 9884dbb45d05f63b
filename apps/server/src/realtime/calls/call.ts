import type { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { RealtimePeer, RealtimeSession } from '../ports.ts'
import { toErrorEvent } from '../session/event-error.ts'
import { newId } from '../session/ids.ts'
import { createLivelinessTest, findSessionEnd } from '../session-end.ts'
import { createLife, type Life } from './call-life.ts'
import { type CallMedia, createCallMedia } from './media/call-media.ts'
import { createPacketBudget } from './media/packet-budget.ts'
import type { Ticker } from './media/ticker.ts'
import { answerOffer, type Connection, STREAM_NAME } from './peer/connection.ts'
import { createEventChannel, type EventChannel } from './peer/event-channel.ts'
import type { MediaLibrary } from './peer/library.ts'
import type { Offer } from './sdp/read-offer.ts'

/** Time that a client has to connect. */
const CONNECT_MS = 20_000
/** Time that a client may be silent: a browser whose page is closed says nothing. */
const SILENCE_MS = 15_000
/** Time that a client may leave events unread. */
const UNREAD_MS = 30_000
/** Time that the last events have to leave. */
const FLUSH_MS = 500

type CloseCode = Parameters<RealtimePeer['close']>[0]

/** A call with a client. */
export interface Call {
  readonly sessionId: string
  /** The description of this side, with all its addresses. */
  readonly answer: string
  close(code: CloseCode, reason: string): void
  /** Resolves when everything of the call is gone. */
  readonly over: Promise<void>
}

/** Parts of {@link openCall}. */
export interface CallOptions {
  readonly offer: Offer
  readonly library: MediaLibrary
  readonly udpPort: number
  /** Time in which nobody speaks or answers after which the call ends, milliseconds; 0 = never. */
  readonly idleMs: () => number
  /** Begins the conversation. @throws {SvcError} the refusal of the request */
  readonly openSession: (peer: RealtimePeer) => Promise<RealtimeSession>
  readonly ticker: Ticker
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Logger
  /** Ends the opening. */
  readonly signal: AbortSignal
}

/**
 * Opens a call. The client has 20 s to connect.
 *
 * @throws {SvcError} as {@link CallOptions.openSession} and {@link answerOffer} do; nothing is left then
 */
export async function openCall(options: CallOptions): Promise<Call> {
  const { offer, clock, log, signal } = options
  const life = createLife(options)
  const channel = createEventChannel({
    now: () => clock.monotonic(),
    receive(text) {
      life.used()
      return life.receive(text)
    },
    onSign: life.sign,
    onClosed: () => life.end('the client has closed its channel'),
    onFlood: (reason) => life.end(reason),
  })
  life.add(() => channel.close())
  try {
    const media = await createCallMedia({
      ...{ sound: offer.sound, name: STREAM_NAME, clock },
      hear: life.hear,
      send: (bytes) => life.connection?.sendMedia(bytes),
    })
    life.add(() => media.close())
    const peer = createPeer({ life, channel, media, hasChannel: offer.channels !== undefined })
    life.session = await options.openSession(peer)
    signal.throwIfAborted()
    life.connection = await connect(options, { life, channel, media })
    signal.throwIfAborted()
    life.gone.throwIfAborted()
    life.add(options.ticker.add((now) => watch(now, { life, channel, media, offer, idleMs: options.idleMs })))
    log.info({ session: life.session.id }, 'a call has begun')
    const { connection, session } = life
    return {
      sessionId: session.id,
      answer: connection.answer,
      close: (_code, reason) => life.end(reason),
      over: life.over,
    }
  } catch (error) {
    life.end('the call could not be opened')
    await life.over
    // It may have ended before these were there.
    life.connection?.close()
    await life.session?.close()
    throw error
  }
}

interface Parts {
  readonly life: Life
  readonly channel: EventChannel
  readonly media: CallMedia
}

function connect(options: CallOptions, { life, channel, media }: Parts): Promise<Connection> {
  const budget = createPacketBudget()
  return answerOffer({
    ...options,
    source: media.source,
    listener: {
      onConnected: life.connected,
      onGone: (state) => life.end(`the connection is ${state}`),
      onMedia(bytes) {
        const verdict = budget.count(options.clock.monotonic())
        if (verdict === 'flood') life.end('the client sends too many packets')
        if (verdict !== 'take') return
        life.sign()
        media.take(bytes)
      },
      onChannel(opened) {
        if (!channel.attach(opened)) opened.close()
      },
    },
  })
}

/** The client, as the session sees it. */
function createPeer({ life, channel, media, hasChannel }: Parts & { readonly hasChannel: boolean }): RealtimePeer {
  const isLively = createLivelinessTest()
  return {
    transport: 'webrtc',
    signal: life.gone,
    speaker: media.speaker,
    send(event) {
      if (isLively(event)) life.used()
      return hasChannel ? channel.send(JSON.stringify(event)) : Promise.resolve()
    },
    close(_code, reason) {
      void flush(channel).then(() => life.end(reason))
    },
  }
}

/** Waits until the last events have left, for a while. */
async function flush(channel: EventChannel): Promise<void> {
  for (let left = FLUSH_MS / 20; left > 0 && !channel.isFlushed; left--) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Does what is due, and ends the call of a client that does not connect, is silent, reads nothing or is not used. */
function watch(
  now: number,
  { life, channel, media, offer, idleMs }: Parts & Pick<CallOptions, 'offer' | 'idleMs'>,
): void {
  media.tick(now)
  // A client that only listens may have nothing to say; the library asks whether it is there.
  const isSilent = offer.sound.direction !== 'recvonly' && now - life.lastSignAt > SILENCE_MS
  const end = findSessionEnd({ beganAt: life.begunAt, heardAt: life.lastUsedAt, idleMs: idleMs() })
  if (now >= end.at) tellEnd(end.error, { life, channel, isTold: offer.channels !== undefined })
  else if (!life.isConnected) {
    if (now - life.begunAt > CONNECT_MS) life.end('the client did not connect')
  } else if (isSilent) life.end('the client is silent')
  else if (now - (channel.behindSince ?? now) > UNREAD_MS) life.end('the client reads no events')
}

/** Ends a call whose time is over, with a last event. */
function tellEnd(
  error: SvcError,
  { life, channel, isTold }: Omit<Parts, 'media'> & { readonly isTold: boolean },
): void {
  if (life.isEnding) return
  life.isEnding = true
  const event = { event_id: newId('event'), ...toErrorEvent(error) }
  if (isTold) channel.send(JSON.stringify(event)).catch(() => undefined)
  void flush(channel).then(() => life.end(error.message))
}
