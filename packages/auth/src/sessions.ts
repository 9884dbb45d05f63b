import type { Authentication } from './authentication.ts'
import { AuthError, wrongLogin } from './errors.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { Session, SessionStore } from './ports/credentials.ts'
import type { Revocations } from './revocations.ts'
import { createId, createToken, type TokenHasher } from './token-hasher.ts'

/** Options of {@link createSessions}. */
export interface SessionsOptions {
  readonly store: SessionStore
  readonly hasher: TokenHasher
  readonly revocations: Revocations
  readonly clock: Pick<Clock, 'now'>
  /** Sessions of one account; the oldest ones give way. @default 100 */
  readonly maxSessions?: number | undefined
}

/** A session as its owner gets it: the value is shown here and never again. */
export interface IssuedSession {
  readonly token: string
  readonly sessionId: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Makes, renews and ends browser sessions (§2.2). */
export interface Sessions {
  /**
   * Begins a session of an account, under a new value each time.
   *
   * @param account.passwordHash of the password that was proved
   * @throws {AuthError} `unauthenticated` when the account has another password meanwhile
   */
  begin(
    account: {
      readonly userId: string
      readonly providerSession?: string | undefined
      readonly passwordHash?: string | undefined
    },
    options: CallOptions,
  ): Promise<IssuedSession>
  /**
   * Begins a session for the holder of a user key or shared key (token-login). The session has the limits of the key
   * and ends with it; the key itself stays out of the browser.
   *
   * @throws {AuthError} `unauthenticated` for anything but a key; `forbidden` for the key of a service
   */
  exchange(authentication: Authentication, options: CallOptions): Promise<IssuedSession>
  /**
   * Gives a session a new value. The value before stays valid for 60 seconds, so that parallel requests go on.
   *
   * @returns undefined when the session has a new value already
   */
  rotate(authentication: Authentication, options: CallOptions): Promise<IssuedSession | undefined>
  end(sessionId: string, options: CallOptions): Promise<boolean>
  /**
   * Ends the sessions of an account but for `except`. Of that session, the value before the last rotation ends too.
   *
   * @returns how many
   */
  endOthers(userId: string, options: CallOptions & { readonly except?: string | undefined }): Promise<number>
  /** Ends the sessions that a session of the OIDC issuer has begun. @returns how many */
  endByProvider(
    account: { readonly userId: string | undefined; readonly providerSession: string },
    options: CallOptions,
  ): Promise<number>
}

/** Lifetime of a session, however often it is used (§2.2). */
export const SESSION_LIFETIME_MS = 30 * 86_400_000
const PREVIOUS_VALUE_MS = 60_000
const MAX_SESSIONS = 100

const invalidToken = (): AuthError => new AuthError('unauthenticated', 'invalid token', { code: 'invalid_token' })

/** Browser sessions: random values of 256 bits, of which the store has only hashes. */
export function createSessions(options: SessionsOptions): Sessions {
  const { store, hasher, revocations, clock, maxSessions = MAX_SESSIONS } = options

  async function issue(
    owner: Pick<Session, 'userId' | 'sharedKeyHash' | 'apiKeyId' | 'providerSession'>,
    conditions: CallOptions & {
      readonly until?: number | undefined
      readonly passwordHash?: string | undefined
      readonly keyHash?: string | undefined
    },
  ): Promise<IssuedSession> {
    const { signal, until = Number.POSITIVE_INFINITY, passwordHash, keyHash } = conditions
    const [token, id, now] = [createToken(), createId(), clock.now()]
    const expiresAt = Math.min(now + SESSION_LIFETIME_MS, until)
    const session = { ...owner, id, createdAt: now, rotatedAt: now, expiresAt }
    const hash = hasher.hash('session', token)
    if (!(await store.create({ ...session, hash }, { signal, maxSessions, passwordHash, keyHash })))
      throw keyHash === undefined ? wrongLogin() : invalidToken()
    return { token, sessionId: id, expiresAt }
  }

  const nobody = { userId: undefined, sharedKeyHash: undefined, apiKeyId: undefined, providerSession: undefined }

  return {
    begin: ({ userId, providerSession, passwordHash }, { signal }) =>
      issue({ ...nobody, userId, providerSession }, { signal, passwordHash }),
    async exchange({ principal, credential, expiresAt }, { signal }) {
      if (principal.kind === 'service')
        throw new AuthError('forbidden', 'the key of a service opens no session', { code: 'service_key' })
      if (principal.via === 'api-key' && principal.apiKey !== undefined) {
        const owner = { ...nobody, userId: principal.id, apiKeyId: principal.apiKey.id }
        // The key may have another value since this one was verified.
        const keyHash = credential && hasher.hash('api-key', credential.value)
        return issue(owner, { signal, until: expiresAt, keyHash })
      }
      if (principal.via !== 'shared-key' || credential === undefined) throw invalidToken()
      return issue({ ...nobody, sharedKeyHash: hasher.hash('shared-key', credential.value) }, { signal })
    },
    async rotate({ principal, credential, expiresAt }, { signal }) {
      if (principal.sessionId === undefined || credential === undefined || expiresAt === undefined) return undefined
      const [token, now] = [createToken(), clock.now()]
      const change = {
        id: principal.sessionId,
        from: hasher.hash('session', credential.value),
        to: hasher.hash('session', token),
        now,
        previousUntil: now + PREVIOUS_VALUE_MS,
      }
      if (!(await store.rotate(change, { signal }))) return undefined
      return { token, sessionId: change.id, expiresAt }
    },
    async end(sessionId, call) {
      const isEnded = await store.remove(sessionId, call)
      revocations.publish({ kind: 'session', sessionId })
      return isEnded
    },
    async endOthers(userId, call) {
      const count = await store.removeByUser(userId, call)
      revocations.publish({ kind: 'user', userId })
      return count
    },
    async endByProvider(account, call) {
      const count = await store.removeByProvider(account, call)
      revocations.publish(account.userId === undefined ? { kind: 'all' } : { kind: 'user', userId: account.userId })
      return count
    },
  }
}
