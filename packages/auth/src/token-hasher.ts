import { createHmac, randomBytes } from 'node:crypto'
import { checkArgument } from '@svc/errors'

/** The kind of a secret value. Equal values of two kinds have different hashes. */
export type TokenKind =
  | 'session'
  | 'api-key'
  | 'invite'
  | 'shared-key'
  | 'sign-in'
  | 'check'
  | 'address'
  | 'logout-token'

/** Hashes secret values for storage. */
export interface TokenHasher {
  /** HMAC-SHA-256 with the server's secret, 64 hex digits. */
  hash(kind: TokenKind, value: string): string
}

const MIN_SECRET_LENGTH = 32

/**
 * Hashes secret values with the secret of the server, so that a reader of the stores cannot use them.
 *
 * @param secret at least 32 characters or bytes. With another secret every key, session and invite is invalid
 */
export function createTokenHasher(secret: string | Uint8Array): TokenHasher {
  const isFit = (typeof secret === 'string' || secret instanceof Uint8Array) && secret.length >= MIN_SECRET_LENGTH
  checkArgument(isFit, 'createTokenHasher: secret', 'text or bytes of at least 32', secret)
  return { hash: (kind, value) => createHmac('sha256', secret).update(`${kind}:${value}`).digest('hex') }
}

/** A new secret value: 256 random bits as 64 hex digits. */
export function createToken(): string {
  return randomBytes(32).toString('hex')
}

/** A new id: 128 random bits as 32 hex digits. */
export function createId(): string {
  return randomBytes(16).toString('hex')
}
