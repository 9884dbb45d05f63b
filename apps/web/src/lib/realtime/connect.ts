import { ApiError } from '../api-error.ts'
import type { LinkOptions, RealtimeLink, Transport } from './link.ts'

/** The way that the viewer wants; `auto` tries WebRTC first. */
export type TransportChoice = 'auto' | Transport

/** Why the conversation goes over a WebSocket although WebRTC was tried. */
export type FallbackReason = 'unsupported' | 'not-served' | 'not-connected'

/** The ways of this browser. */
export interface Openers {
  readonly openSocket: (options: LinkOptions) => Promise<RealtimeLink>
  /** Undefined in browsers without WebRTC. */
  readonly openCall: ((options: LinkOptions) => Promise<RealtimeLink>) | undefined
}

/** An open conversation, and why it did not open the first way. */
export interface Connected {
  readonly link: RealtimeLink
  readonly fallback?: FallbackReason
}

/** Replies of servers that have no WebRTC, or cannot load it. */
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 501])

/** @throws ApiError, CallFault, the reason of the signal */
export async function connect(choice: TransportChoice, options: LinkOptions, openers: Openers): Promise<Connected> {
  const { openCall, openSocket } = openers
  if (choice === 'websocket') return { link: await openSocket(options) }
  if (openCall === undefined) {
    if (choice === 'webrtc') throw new ApiError('This browser has no WebRTC.', { status: 501, code: 'no_webrtc' })
    return { link: await openSocket(options), fallback: 'unsupported' }
  }
  try {
    return { link: await openCall(options) }
  } catch (error) {
    options.signal.throwIfAborted()
    const fallback = choice === 'auto' ? toFallback(error) : undefined
    if (fallback === undefined) throw error
    return { link: await openSocket(options), fallback }
  }
}

/** Why a WebSocket is worth a try; undefined for a refusal that it would meet too. */
function toFallback(error: unknown): FallbackReason | undefined {
  if (!(error instanceof ApiError)) return 'not-connected'
  return NOT_SERVED.has(error.status) ? 'not-served' : undefined
}
