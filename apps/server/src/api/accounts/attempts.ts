import {
  type AttemptBudget,
  type AttemptLimiter,
  createAttemptLimiter,
  type KnownAddresses,
  nameAccount,
  nameAddress,
} from '@svc/auth/accounts'
import { type ErrorKind, SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import type { Clock } from '../../ports.ts'

type Caller = Pick<Call, 'clientAddress' | 'signal'>

/**
 * Limits how often clients fail to get in (threats AU-1). Each method runs work and counts it when it has failed. Without
 * running the work they throw `rate_limited` when too much has failed within the last minute.
 */
export interface Attempts {
  /**
   * A password of an account. The limit holds for an address with the account. Wider ones for the address and for the
   * account meet guesses that are spread; they do not hold where the account has signed in from the address before.
   */
  signIn<T>(call: Caller, email: unknown, work: () => Promise<T>): Promise<T>
  /** A token, which names no account. */
  tokenSignIn<T>(call: Caller, work: () => Promise<T>): Promise<T>
  /** A registration. It counts in every case, since each may leave an account behind. */
  registration<T>(call: Caller, work: () => Promise<T>): Promise<T>
  /** A look at an invite, which fails when the invite is not valid. */
  inviteCheck(call: Caller, code: string, work: () => Promise<boolean>): Promise<boolean>
  /** A browser that leaves for a provider. It counts in every case, since each leaves a state behind. */
  departure<T>(call: Caller, work: () => Promise<T>): Promise<T>
  /** A browser that comes back from a provider. */
  arrival<T>(call: Caller, work: () => Promise<T>): Promise<T>
}

/** The limit of an address, and that of an account, as multiples of the limit of both together. */
const PER_ADDRESS = 10
const PER_ACCOUNT = 20
const AT_PROVIDERS_PER_MINUTE = 60
const MAX_NAME_LENGTH = 400

/** The values and errors that make an attempt a failure. */
interface Verdict<T> {
  /** @default none does */
  readonly value?: (value: T) => boolean
  /** @default none does */
  readonly error?: ErrorKind
  /** Whether every attempt is a failure. */
  readonly always?: boolean
}

/** The limits of a server. @param options.perMinute failed attempts to sign in; 0 means no limits at all */
export function createAttempts(options: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly perMinute: number
  readonly knownAddresses: Pick<KnownAddresses, 'isKnown'>
  /** Counts attempts. @default those of this server */
  readonly limiter?: AttemptLimiter | undefined
}): Attempts {
  const { clock, perMinute, knownAddresses, limiter = createAttemptLimiter({ clock }) } = options
  const atProviders = perMinute === 0 ? 0 : AT_PROVIDERS_PER_MINUTE
  async function run<T>(
    { signal }: Caller,
    { budgets, failure, work }: { budgets: readonly AttemptBudget[]; failure: Verdict<T>; work: () => Promise<T> },
  ): Promise<T> {
    const { always = false, value: isFailure, error: kind } = failure
    const attempt = await limiter.begin(budgets, { signal })
    try {
      const value = await work()
      attempt.end(always || isFailure?.(value) === true)
      return value
    } catch (error) {
      attempt.end(always || (SvcError.is(error) && error.kind === kind))
      throw error
    }
  }

  /** A budget of everything of a kind that comes from an address. */
  const wide = (what: string, { clientAddress }: Caller, limit = perMinute * PER_ADDRESS): AttemptBudget => ({
    name: `${what} ${nameAddress(clientAddress)}`,
    perMinute: limit,
  })
  /** A budget of guesses at one thing from an address. */
  const narrow = (what: string, call: Caller, guessed: string): AttemptBudget => ({
    name: `${wide(what, call).name} ${guessed.slice(0, MAX_NAME_LENGTH)}`,
    perMinute,
  })

  return {
    signIn(call, email, work) {
      const text = typeof email === 'string' ? email : ''
      const account = nameAccount(text)
      const isExempt = (): Promise<boolean> => knownAddresses.isKnown(text, call.clientAddress, call)
      const budgets = [
        narrow('password', call, account),
        { ...wide('password', call), isExempt },
        { name: `password of ${account}`, perMinute: perMinute * PER_ACCOUNT, isExempt },
      ]
      return run(call, { budgets, failure: { error: 'unauthenticated' }, work })
    },
    tokenSignIn: (call, work) =>
      run(call, { budgets: [wide('token', call, perMinute)], failure: { error: 'unauthenticated' }, work }),
    registration: (call, work) => run(call, { budgets: [wide('registration', call)], failure: { always: true }, work }),
    inviteCheck(call, code, work) {
      const budgets = [narrow('invite', call, code), wide('invite', call)]
      return run(call, { budgets, failure: { value: (isValid) => !isValid }, work })
    },
    departure: (call, work) =>
      run(call, { budgets: [wide('departure', call, atProviders)], failure: { always: true }, work }),
    arrival: (call, work) =>
      run(call, { budgets: [wide('arrival', call, atProviders)], failure: { error: 'invalid_request' }, work }),
  }
}
