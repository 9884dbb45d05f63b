import { createAttemptLimiter, nameAccount, nameAddress } from '@svc/auth/accounts'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import type { Clock } from '../../ports.ts'

/** Limits how often clients try to get in (threats AU-1). */
export interface Attempts {
  /**
   * Counts an attempt to sign in for the client's address and the account.
   *
   * @throws {SvcError} `rate_limited`
   */
  countSignIn(call: Pick<Call, 'clientAddress'>, email?: unknown): void
  /** Counts a browser that comes back from a provider. @throws {SvcError} `rate_limited` */
  countCallback(call: Pick<Call, 'clientAddress'>): void
}

const CALLBACKS_PER_MINUTE = 60

function refuseAfter(waitMs: number): void {
  if (waitMs <= 0) return
  throw new SvcError('rate_limited', 'too many requests, please try again later', {
    code: 'too_many_attempts',
    retryAfterMs: waitMs,
  })
}

/** The limits of a server. @param options.perMinute attempts to sign in; 0 means no limits at all */
export function createAttempts(options: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly perMinute: number
}): Attempts {
  const { clock, perMinute } = options
  const signIns = createAttemptLimiter({ clock, perMinute })
  const callbacks = createAttemptLimiter({ clock, perMinute: perMinute === 0 ? 0 : CALLBACKS_PER_MINUTE })
  return {
    countSignIn({ clientAddress }, email) {
      const account = typeof email === 'string' && email.trim() !== '' ? [nameAccount(email)] : []
      refuseAfter(signIns.take([nameAddress(clientAddress), ...account]))
    },
    countCallback({ clientAddress }) {
      refuseAfter(callbacks.take([nameAddress(clientAddress)]))
    },
  }
}
