import { randomBytes } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { RealtimePeer, RealtimeSession } from '../ports.ts'
import { type Call, openCall } from './call.ts'
import { createTicker } from './media/ticker.ts'
import type { MediaLibrary } from './peer/library.ts'
import { holdUdpPort, type UdpPort } from './peer/udp-port.ts'
import { type AddressSettings, findOwnAddresses } from './sdp/own-addresses.ts'
import type { Offer } from './sdp/read-offer.ts'
import { writeAnswer } from './sdp/write-answer.ts'

/** Settings of calls. */
export interface CallSettings extends AddressSettings {
  /** The one UDP port of all calls; 0 for a free port each. */
  readonly udpPort: number
}

/** Calls at once; sessions have bounds of their own, for each account too. */
const MAX_CALLS = 256

/** A request to open a call. */
export interface CallRequest {
  readonly offer: Offer
  /** Whose call it is. */
  readonly accountId: string
  /** The address from which the client asked. */
  readonly clientAddress: string
  /** Time in which nobody speaks or answers after which the call ends, milliseconds; 0 = never. */
  readonly idleMs: () => number
  /** Begins the conversation. @throws {SvcError} the refusal of the request */
  readonly openSession: (peer: RealtimePeer) => Promise<RealtimeSession>
  /** Called when nothing of the call is left. */
  readonly onOver: () => void
  readonly log: Logger
  /** Ends the opening. */
  readonly signal: AbortSignal
}

/** A call that was opened. */
export interface OpenedCall {
  readonly id: string
  readonly sessionId: string
  /** The description for the client. */
  readonly answer: string
  /** Ends the call. */
  close(code: 1001 | 1008, reason: string): void
}

/** The calls of a server. */
export interface Calls {
  /** Calls that are open, or being opened. */
  readonly size: number
  /**
   * Opens a call.
   *
   * @throws {SvcError} `unavailable` with `too_many_calls`; `not_implemented` without a WebRTC library;
   *   `invalid_request`, and everything that the session refuses
   */
  open(request: CallRequest): Promise<OpenedCall>
  /** Hangs up a call of an account. @throws {SvcError} `not_found` where there is none */
  hangUp(id: string, accountId: string): Promise<void>
  /** Ends all calls, and refuses further ones. Resolves when nothing of them is left. */
  close(): Promise<void>
}

/** Parts of {@link createCalls}. */
export interface CallsOptions {
  readonly settings: CallSettings
  readonly loadLibrary: () => MediaLibrary
  readonly clock: Clock
  readonly log: Logger
  /** Calls at once. @default 256 */
  readonly maxCalls?: number | undefined
}

/** Creates the switchboard of a server. The library is loaded with the first call. */
export function createCalls(options: CallsOptions): Calls {
  const { settings, clock, maxCalls = MAX_CALLS } = options
  const running = new Map<string, { readonly accountId: string; readonly call: Call }>()
  const ending = new AbortController()
  const ticker = createTicker({
    now: () => clock.monotonic(),
    onError: (error) => options.log.error({ err: error }, 'a call failed unexpectedly'),
  })
  let taken = 0
  let library: MediaLibrary | undefined
  let port: Promise<UdpPort> | undefined

  function takePlace(): void {
    if (ending.signal.aborted) throw new SvcError('unavailable', 'the server is stopping', { code: 'stopping' })
    if (taken >= maxCalls) {
      throw new SvcError('unavailable', 'too many calls are open; retry shortly', {
        code: 'too_many_calls',
        retryAfterMs: 5000,
      })
    }
    taken++
  }

  /** Takes the port with the first call. One that was in use is tried again with the next call. */
  async function takePort(from: MediaLibrary): Promise<void> {
    if (settings.udpPort === 0) return
    port ??= holdUdpPort(from, settings.udpPort).catch((error: unknown) => {
      port = undefined
      throw error
    })
    await port
  }

  async function begin(request: CallRequest): Promise<OpenedCall> {
    const id = `rtc_${randomBytes(16).toString('hex')}`
    library ??= options.loadLibrary()
    await takePort(library)
    const call = await openCall({
      ...request,
      ...{ library, ticker, clock, udpPort: settings.udpPort },
      signal: AbortSignal.any([request.signal, ending.signal]),
    })
    try {
      const answer = writeAnswer(call.answer, findOwnAddresses(settings, request.clientAddress))
      running.set(id, { accountId: request.accountId, call })
      return { id, sessionId: call.sessionId, answer, close: call.close }
    } catch (error) {
      call.close(1011, 'no address')
      await call.over
      throw error
    }
  }

  /** Forgets a call once nothing of it is left. */
  async function follow(id: string, onOver: () => void): Promise<void> {
    await running.get(id)?.call.over
    running.delete(id)
    taken--
    onOver()
  }

  return {
    get size() {
      return taken
    },
    async open(request) {
      takePlace()
      try {
        const opened = await begin(request)
        void follow(opened.id, request.onOver)
        return opened
      } catch (error) {
        taken--
        throw error
      }
    },
    async hangUp(id, accountId) {
      const found = running.get(id)
      if (found?.accountId !== accountId) {
        throw new SvcError('not_found', 'there is no such call', { code: 'call_not_found' })
      }
      found.call.close(1000, 'hung up')
      await found.call.over
    },
    async close() {
      ending.abort(new SvcError('unavailable', 'the server is stopping', { code: 'stopping' }))
      for (const { call } of running.values()) call.close(1001, 'the server is stopping')
      await Promise.all([...running.values()].map(({ call }) => call.over))
      const held = await port?.catch(() => undefined)
      port = undefined
      held?.release()
    },
  }
}
