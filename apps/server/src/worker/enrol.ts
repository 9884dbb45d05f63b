import { SvcError } from '@svc/errors'
import { StartRefused } from '../config/start-refused.ts'
import type { Clock, Logger } from '../ports.ts'
import type { FrontEnd, Registered } from './front-end.ts'

/** Pause between two attempts, milliseconds: the first, then twice the last, at most the longest. */
const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 30_000
/** How long a worker waits for a front end and for its approval, milliseconds. */
const MAX_WAIT_MS = 60 * 60_000

/** Parts of {@link enrol}. */
export interface EnrolParts {
  readonly frontEnd: Pick<FrontEnd, 'register'>
  /** Makes the body of a registration. */
  readonly toBody: () => Promise<unknown>
  /** Whether the worker waits for credentials of the bus. */
  readonly needsCredentials: boolean
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly signal: AbortSignal
}

/**
 * Registers again and again until the worker may work: until the front end answers, and where the worker needs
 * credentials until somebody has approved it. A pending worker that needs none goes on at once.
 *
 * @throws {StartRefused} exit code 78 when the registration is refused or approved workers get no credentials, 75 after an
 *   hour; the signal's reason
 */
export async function enrol(parts: EnrolParts): Promise<Registered> {
  const { clock, logger, signal } = parts
  const until = clock.monotonic() + MAX_WAIT_MS
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const reason = await tryOnce(parts)
    if (typeof reason !== 'string') return reason
    if (clock.monotonic() + pauseMs > until) {
      throw new StartRefused(`the worker could not register within an hour: ${reason}`, { exitCode: 75 })
    }
    logger.warn({ reason, seconds: pauseMs / 1000 }, 'the worker registers again')
    await clock.sleep(pauseMs, { signal })
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/** @returns why another attempt is needed */
async function tryOnce({ frontEnd, toBody, needsCredentials, signal }: EnrolParts): Promise<Registered | string> {
  try {
    const reply = await frontEnd.register(await toBody(), { signal })
    if (!needsCredentials || (reply.nats_jwt && reply.nats_user_seed)) return reply
    if (reply.status === 'pending') return 'it waits for approval'
  } catch (error) {
    signal.throwIfAborted()
    if (SvcError.is(error) && error.code === 'registration_refused') {
      throw new StartRefused(error.message, { exitCode: 78, cause: error })
    }
    return error instanceof Error ? error.message : String(error)
  }
  throw new StartRefused(
    'the front end gives no credentials for the bus: set SVC_NATS_JWT and SVC_NATS_USER_SEED, put a user into SVC_NATS_URL, or allow an open bus with SVC_NATS_REQUIRE_AUTH=false',
    { exitCode: 78 },
  )
}
