import type { ClientEvent } from './events.ts'

/** The ways to a conversation. */
export type Transport = 'webrtc' | 'websocket'

/** Why a link has ended. */
export interface LinkEnd {
  /** The code of a WebSocket; 1006 for a connection that broke. */
  readonly code: number
  /** The words of the server; empty for none. */
  readonly reason: string
}

/** An open way to a conversation. It never opens itself again. */
export interface RealtimeLink {
  readonly transport: Transport
  /** Sends an event. After the end, it is dropped. */
  readonly send: (event: ClientEvent) => void
  /** The voice of the server; undefined where it comes in events. */
  readonly remote?: MediaStream | undefined
  readonly close: () => void
}

/** What a link tells. */
export interface LinkListener {
  readonly onEvent: (text: string) => void
  /** Called once, and not after {@link RealtimeLink.close}. */
  readonly onEnd: (end: LinkEnd) => void
}

/** A conversation to open. */
export interface LinkOptions {
  readonly model: string
  /** The microphone; undefined for typed messages alone. */
  readonly microphone: MediaStream | undefined
  readonly listener: LinkListener
  readonly signal: AbortSignal
}

/** Bytes that wait to leave before the connection counts as stalled: about 30 seconds of sound. */
export const MAX_WAITING_BYTES = 2_000_000

/** The end of a connection that takes nothing any more. */
export const STALLED: LinkEnd = { code: 1006, reason: 'stalled' }

/** A call that did not come about although the server took it. */
export class CallFault extends Error {
  override readonly name = 'CallFault'
}
