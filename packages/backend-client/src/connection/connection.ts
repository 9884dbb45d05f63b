import { type BackendAddress, parseBackendAddress } from '../address.ts'
import type { CallStatus } from '../call-status.ts'
import { BackendError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import { BackOff } from './back-off.ts'
import { KEEPALIVE, type KeepaliveTimes } from './keepalive.ts'
import { openSession } from './open-session.ts'
import { Session } from './session.ts'

/** Most calls that wait for a connection at a time. */
const MAX_WAITING = 10_000

/** Settings of {@link Connection}. */
export interface ConnectionSettings {
  readonly address: string
  readonly token: string | undefined
  readonly maxMessageBytes: number
  readonly keepalive?: KeepaliveTimes | undefined
}

/** A call as its connection sees it. */
export interface ConnectedCall {
  /** There is a session: the call starts in it. */
  begin(session: Session): void
  /** The call ends with this status. */
  fail(status: CallStatus): void
}

/**
 * The connection to a backend: one session at a time, opened by the first call and again by the first call after it was
 * lost. Nothing is tried in between.
 */
export class Connection {
  readonly token: string | undefined
  readonly maxMessageBytes: number
  readonly #address: BackendAddress
  readonly #backOff = new BackOff()
  readonly #waiting = new Set<ConnectedCall>()
  readonly #retired = new Set<Session>()
  #keepalive: KeepaliveTimes
  #session: Session | undefined
  /** The attempt to connect that runs. */
  #attempt: AbortController | undefined
  #lastFailure = ''
  #isClosed = false

  /** @throws `backend_address` (invalid_request) for a malformed address */
  constructor({ address, token, maxMessageBytes, keepalive = KEEPALIVE }: ConnectionSettings) {
    this.token = token
    this.maxMessageBytes = maxMessageBytes
    this.#address = parseBackendAddress(address)
    this.#keepalive = keepalive
  }

  /** @throws `client_closed` (unavailable) after {@link close} */
  checkOpen(path: string): void {
    if (!this.#isClosed) return
    const details = { rpc: path }
    throw new BackendError('unavailable', 'the backend client is closed', { code: 'client_closed', details })
  }

  /** Starts a call, now or as soon as there is a session. {@link remove} follows when the call is over. */
  add(call: ConnectedCall): void {
    if (this.#session?.isOpen) call.begin(this.#session)
    else if (!this.#attempt && this.#backOff.isWaiting(performance.now())) call.fail(unreachable(this.#lastFailure))
    else if (this.#waiting.size >= MAX_WAITING) {
      call.fail({ code: GRPC.RESOURCE_EXHAUSTED, details: 'too many calls wait for the backend' })
    } else {
      this.#waiting.add(call)
      if (!this.#attempt) void this.#connect(new AbortController())
    }
  }

  /** A call is over. An attempt to connect that nobody waits for ends. */
  remove(call: ConnectedCall): void {
    if (this.#waiting.delete(call) && this.#waiting.size === 0) this.#attempt?.abort()
  }

  /** Breaks running calls off. */
  close(): void {
    this.#isClosed = true
    for (const call of this.#takeWaiting()) call.fail(CLOSED)
    this.#attempt?.abort()
    for (const session of [...this.#retired]) session.destroy(CLOSED)
    this.#session?.destroy(CLOSED)
  }

  async #connect(attempt: AbortController): Promise<void> {
    const began = performance.now()
    this.#attempt = attempt
    try {
      const session = new Session(await openSession(this.#address, attempt), this.#keepalive, {
        onRetired: (retired) => this.#retire(retired),
        onGone: (gone) => this.#retired.delete(gone),
        onTooManyPings: () => this.#pingLess(),
      })
      this.#attempt = undefined
      this.#backOff.reset()
      this.#session = session
      if (this.#isClosed) session.destroy(CLOSED)
      for (const call of this.#takeWaiting()) call.begin(session)
    } catch (error) {
      this.#attempt = undefined
      if (attempt.signal.aborted) return this.#connectAgain()
      this.#lastFailure = error instanceof Error ? error.message : String(error)
      this.#backOff.fail(began, Math.random())
      for (const call of this.#takeWaiting()) call.fail(unreachable(this.#lastFailure))
    }
  }

  /** Calls may have come between the end of an attempt and this moment. */
  #connectAgain(): void {
    if (this.#waiting.size > 0) void this.#connect(new AbortController())
  }

  #takeWaiting(): ConnectedCall[] {
    const calls = [...this.#waiting]
    this.#waiting.clear()
    return calls
  }

  #retire(session: Session): void {
    if (this.#session === session) this.#session = undefined
    this.#retired.add(session)
  }

  #pingLess(): void {
    this.#keepalive = { ...this.#keepalive, intervalMs: 2 * this.#keepalive.intervalMs }
  }
}

const CLOSED: CallStatus = { code: GRPC.CANCELLED, details: 'the client was closed' }

function unreachable(reason: string): CallStatus {
  return { code: GRPC.UNAVAILABLE, details: `no connection to the backend: ${reason}` }
}
