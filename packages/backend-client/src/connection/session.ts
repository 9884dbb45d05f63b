import { type ClientHttp2Session, type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { type CallStatus, readReset } from '../call-status.ts'
import { GRPC } from '../grpc-status.ts'
import { Keepalive, type KeepaliveTimes } from './keepalive.ts'
import type { OpenedSession } from './open-session.ts'
import { createResetBudget } from './reset-budget.ts'

/** Half of the numbers that HTTP/2 has for the streams of one connection. */
const MAX_CALLS = 2 ** 29
/** Longest time that a closed session waits for its last bytes and for the end of the other side, milliseconds. */
const CLOSE_MS = 1000
const TOO_MANY_PINGS = Buffer.from('too_many_pings')

/** Hears of the changes of a session. */
export interface SessionEvents {
  /** No call may start on it any more; running calls go on. */
  onRetired(session: Session): void
  /** It is closed. */
  onGone(session: Session): void
  /** The backend wants fewer pings. */
  onTooManyPings(): void
}

/** One connection to a backend, with the count of the calls that run on it. */
export class Session {
  readonly #session: ClientHttp2Session
  readonly #socket: Socket
  readonly #keepalive: Keepalive
  readonly #events: SessionEvents
  readonly #budget = createResetBudget(performance.now())
  #running = 0
  #callsLeft = MAX_CALLS
  #isRetired = false
  #closeTimer: NodeJS.Timeout | undefined
  #lossStatus: CallStatus = { code: GRPC.UNAVAILABLE, details: 'the connection was lost' }

  constructor({ session, socket }: OpenedSession, times: KeepaliveTimes, events: SessionEvents) {
    this.#session = session
    this.#socket = socket
    this.#keepalive = new Keepalive(session, times)
    this.#events = events
    session.unref()
    session.on('goaway', (code: number, _last: number, data?: Uint8Array) => {
      if (code !== constants.NGHTTP2_NO_ERROR) this.#lossStatus = readReset(code)
      if (code === constants.NGHTTP2_ENHANCE_YOUR_CALM && data && TOO_MANY_PINGS.equals(data)) events.onTooManyPings()
      this.retire()
    })
    session.once('close', () => {
      this.#keepalive.stop()
      this.retire()
      clearTimeout(this.#closeTimer)
      events.onGone(this)
    })
  }

  /** True while calls may start here. */
  get isOpen(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed
  }

  /** The status of calls that a lost connection ended; undefined while there is a connection. */
  get lossStatus(): CallStatus | undefined {
    return this.#session.destroyed ? this.#lossStatus : undefined
  }

  /** Opens the stream of a call. {@link release} follows when the call is over. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers)
    this.#running += 1
    if (this.#running === 1) {
      this.#session.ref()
      this.#keepalive.start()
    }
    this.#callsLeft -= 1
    if (this.#callsLeft === 0) this.retire()
    return stream
  }

  /** A call is over. */
  release(): void {
    this.#running -= 1
    if (this.#running > 0) return
    this.#keepalive.pause()
    this.#session.unref()
    if (this.#isRetired || this.#session.destroyed) this.#close()
  }

  /**
   * Counts a call that this side broke off. New calls go elsewhere before the backend closes this connection for it.
   */
  countReset(): void {
    if (!this.#budget.spend(performance.now())) this.retire()
  }

  /** Takes no more calls and closes after the last. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    this.#events.onRetired(this)
    if (this.#running === 0) this.#close()
  }

  /** Breaks off the connection and the calls on it, which end with this status. */
  destroy(status: CallStatus): void {
    this.#lossStatus = status
    this.#session.destroy()
    if (this.#running === 0) this.#close()
  }

  /** Closes when the last bytes are written. A socket whose other side does not close it is broken off. */
  #close(): void {
    if (this.#socket.destroyed || this.#closeTimer !== undefined) return
    this.#closeTimer = setTimeout(() => {
      this.#session.destroy()
      this.#socket.destroy()
    }, CLOSE_MS).unref()
    this.#session.close()
  }
}
