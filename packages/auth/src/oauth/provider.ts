import { isEmail } from '../accounts/registration.ts'
import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { Provider } from '../ports/users.ts'

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
  /** The address at the provider where the browser goes. @throws {AuthError} `unavailable` while the provider is away */
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
const MAX_SUBJECT_LENGTH = 255
const MAX_AVATAR_LENGTH = 512
const UNSTORABLE = /[\0\ud800-\udfff]/gu

const readText = (value: unknown): string => (typeof value === 'string' ? value.replace(UNSTORABLE, '').trim() : '')

function readAvatar(value: unknown): string {
  const text = readText(value)
  return text.length <= MAX_AVATAR_LENGTH && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : ''
}

/** A failed sign-in: one text for all causes. */
export function signInFailed(cause: unknown): AuthError {
  return new AuthError('invalid_request', 'OAuth authentication failed', { code: 'sign_in_failed', cause })
}

/**
 * The identity out of what a provider says, which is not taken on trust: texts are cut, addresses checked.
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
  const address = readText(claims.email).toLowerCase()
  const email = isEmail(address) ? address : ''
  const name = claims.name.map(readText).find((text) => text !== '') ?? (email === '' ? subject : email)
  const providerSession = readText(claims.providerSession)
  return {
    subject,
    email,
    emailVerified: email !== '' && claims.emailVerified === true,
    name: name.slice(0, MAX_NAME_LENGTH).replace(UNSTORABLE, ''),
    avatarUrl: readAvatar(claims.avatarUrl),
    providerSession: providerSession === '' ? undefined : providerSession.slice(0, MAX_SUBJECT_LENGTH),
  }
}
