import { isEmail, normalizeEmail } from '../accounts/email.ts'
import { isAvatarUrl } from '../avatar.ts'
import { AuthError } from '../errors.ts'
import { replaceMixedWords } from '../look-alikes.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { Provider } from '../ports/users.ts'
import { removeUnseen } from '../unseen.ts'
import { isProviderDown, ProviderError, readProviderError, toProviderError } from './provider-error.ts'

/** An identity, as a provider asserts it. */
export interface Identity {
  /** The provider's own id of the account. */
  readonly subject: string
  /** Empty when the provider names none. */
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  readonly avatarUrl: string
  /** The provider's id of its session, for back-channel logout. */
  readonly providerSession: string | undefined
}

/** The secrets of one sign-in. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** A provider of sign-ins by authorization code. */
export interface SignInProvider {
  readonly name: Exclude<Provider, 'local'>
  /**
   * The address at the provider where the browser goes.
   *
   * @throws {AuthError} `unavailable` while the provider is away
   */
  createUrl(secrets: SignInSecrets, options: CallOptions): Promise<URL>
  /**
   * Exchanges the code that the browser has brought.
   *
   * @throws {AuthError} `invalid_request` for anything that does not hold; the cause is for the log
   */
  readIdentity(
    callback: SignInSecrets & { readonly parameters: URLSearchParams },
    options: CallOptions,
  ): Promise<Identity>
}

const MAX_NAME_LENGTH = 200
const MAX_EMAIL_LENGTH = 320
const MAX_SUBJECT_LENGTH = 255
const UNSTORABLE = /[\0\ud800-\udfff]/gu

const readText = (value: unknown): string => (typeof value === 'string' ? value.replace(UNSTORABLE, '').trim() : '')

/** A name as people see it: without unseen characters, and every letter is the letter that it looks like. */
const readName = (value: unknown): string =>
  replaceMixedWords(removeUnseen(readText(value).slice(0, 4 * MAX_NAME_LENGTH))).trim()

function readAvatar(value: unknown): string {
  const text = readText(value)
  return isAvatarUrl(text) ? text : ''
}

/** A failed sign-in: one text for all causes. The code `sign_in_denied` tells a refusal of the person from a fault. */
export function signInFailed(cause: unknown, code: 'sign_in_failed' | 'sign_in_denied' = 'sign_in_failed'): AuthError {
  return new AuthError('invalid_request', 'OAuth authentication failed', { code, cause })
}

/** A provider that is away or broken. */
export function providerAway(cause: unknown, retryAfterMs: number): AuthError {
  return new AuthError('unavailable', 'the sign-in provider cannot be reached', {
    code: 'provider_unavailable',
    cause,
    retryAfterMs,
  })
}

const AWAY_MS = 10_000

/** The error of an exchange that has failed. Its cause has the provider's own words, where the provider gave some. */
export async function toSignInError(thrown: unknown): Promise<AuthError> {
  return isProviderDown(thrown) ? providerAway(thrown, AWAY_MS) : signInFailed(await toProviderError(thrown))
}

/** The errors by which a provider says that it is broken or busy (RFC 6749, section 4.1.2.1). */
const AWAY_ERRORS: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/** The error of a browser that comes back with a refusal; undefined where there is none. */
export function readRefusal(parameters: URLSearchParams): AuthError | undefined {
  if (!parameters.has('error')) return undefined
  const fields = { error: parameters.get('error'), error_description: parameters.get('error_description') }
  const cause = readProviderError(fields) ?? new Error('the provider has refused without a word')
  if (!(cause instanceof ProviderError)) return signInFailed(cause)
  if (AWAY_ERRORS.has(cause.error)) return providerAway(cause, AWAY_MS)
  return signInFailed(cause, cause.error === 'access_denied' ? 'sign_in_denied' : 'sign_in_failed')
}

/** The provider's id of its session out of a claim, as it is kept; undefined where there is none. */
export function toProviderSession(claim: unknown): string | undefined {
  const text = readText(claim)
  return text === '' ? undefined : text.slice(0, MAX_SUBJECT_LENGTH)
}

/**
 * The identity out of a provider's claims, which are not trusted: texts are cut, addresses checked.
 *
 * @throws {AuthError} `invalid_request` without a usable subject
 */
export function toIdentity(claims: {
  readonly subject: unknown
  readonly email: unknown
  readonly emailVerified: unknown
  readonly name: readonly unknown[]
  readonly avatarUrl: unknown
  readonly providerSession?: unknown
}): Identity {
  const { subject } = claims
  if (
    typeof subject !== 'string' ||
    subject === '' ||
    subject.length > MAX_SUBJECT_LENGTH ||
    subject !== readText(subject)
  )
    throw signInFailed(new Error('the provider names no usable subject'))
  const address = normalizeEmail(readText(claims.email).slice(0, MAX_EMAIL_LENGTH))
  const email = isEmail(address) ? address : ''
  const name = claims.name.map(readName).find((text) => text !== '') ?? (email === '' ? subject : email)
  return {
    subject,
    email,
    emailVerified: email !== '' && claims.emailVerified === true,
    name: name.slice(0, MAX_NAME_LENGTH).replace(UNSTORABLE, ''),
    avatarUrl: readAvatar(claims.avatarUrl),
    providerSession: toProviderSession(claims.providerSession),
  }
}
