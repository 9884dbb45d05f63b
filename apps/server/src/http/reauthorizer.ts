import { setMaxListeners } from 'node:events'
import { type Authentication, isConcerned, type Revocation } from '@svc/auth'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { CallChanges, CallState, DerivedCall } from './call.ts'
import type { Gate, LookUps } from './middleware/authorize.ts'
import type { Reauthorization, RunningCalls } from './running-calls.ts'
import type { Sockets } from './websocket.ts'

/** Options of {@link createReauthorizer}. */
export interface ReauthorizerOptions {
  readonly gate: Pick<Gate, 'reauthorize'>
  readonly sockets: Pick<Sockets, 'reauthorize'>
  /** The calls under way, and the requests inside of calls. */
  readonly running: readonly RunningCalls[]
}

/** Asks the gate again for callers whose calls are under way, and ends the calls that it refuses. */
export interface Reauthorizer {
  /** Grows whenever rights have changed. */
  readonly generation: number
  /** Asks for everybody whom a revocation concerns. @returns whether all of them could be looked up */
  afterRevocation(revocation: Revocation): Promise<boolean>
  /** Asks for everybody whose credential ends at a time or before. */
  afterExpiry(now: number): Promise<void>
  /** Asks for a caller whose socket was opened while rights changed. */
  afterOpening(call: CallState): Promise<void>
  /**
   * Gives a call the rights of now, where rights have changed since its caller was let in or the credential has expired.
   *
   * @throws {SvcError} `unauthenticated` or `forbidden`
   */
  confirm(call: CallState, now: number): Promise<void>
  /**
   * Begins a request inside a call with the rights of now.
   *
   * @throws {SvcError} `unauthenticated` or `forbidden`
   */
  begin(call: CallState, changes: CallChanges): Promise<DerivedCall>
}

/** Longest time for the look-ups of one change of rights. */
const LOOK_UP_MS = 10_000

/** Creates a reauthorizer. A change of rights looks each credential up once, however many calls it has. */
export function createReauthorizer({ gate, sockets, running }: ReauthorizerOptions): Reauthorizer {
  let generation = 0

  async function look(isMeant: (authentication: Authentication) => boolean): Promise<boolean> {
    const lookUps: LookUps = new Map()
    const began = generation
    let patience: AbortSignal | undefined
    const reauthorization: Reauthorization = {
      isConcerned: isMeant,
      reauthorize(admitted) {
        patience ??= createPatience()
        // A database that hangs does not look at signals.
        return untilAborted(gate.reauthorize(admitted, { signal: patience, lookUps }), patience)
      },
      isCurrent: () => began === generation,
    }
    const outcomes = await Promise.all([
      sockets.reauthorize(reauthorization),
      ...running.map((calls) => calls.reauthorizeAll(reauthorization)),
    ])
    return outcomes.every((wasAsked) => wasAsked)
  }

  return {
    get generation() {
      return generation
    },
    afterRevocation(revocation) {
      generation += 1
      return look((authentication) => isConcerned(authentication, revocation))
    },
    async afterExpiry(now) {
      await look(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
    },
    async afterOpening(call) {
      await look((authentication) => authentication === call.authentication)
    },
    async confirm(call, now) {
      const { expiresAt = Number.POSITIVE_INFINITY } = call.authentication
      let isStale = expiresAt <= now
      while (isStale || call.rightsGeneration !== generation) {
        isStale = false
        const asked = generation
        call.authentication = await gate.reauthorize(call, call)
        call.rightsGeneration = asked
      }
    },
    async begin(call, changes) {
      // In the list before it is asked for: a change of rights meanwhile finds it there.
      const derived = call.derive(changes)
      try {
        let asked: number
        do {
          asked = generation
          derived.call.authentication = await gate.reauthorize(call, call)
        } while (asked !== generation)
        return derived
      } catch (error) {
        derived.close()
        throw error
      }
    },
  }
}

/** The time that look-ups may take together. */
function createPatience(): AbortSignal {
  const signal = AbortSignal.timeout(LOOK_UP_MS)
  // Every look-up waits on it.
  setMaxListeners(0, signal)
  return signal
}
