/**
 * Finds out who is calling and what they may do: sessions, user keys and shared keys, without an HTTP server. Accounts,
 * sign-in at providers, usage, quotas and stores are entries of their own.
 *
 * @module
 */

// Everything at once

export { type Auth, type AuthOptions, createAuth } from './auth.ts'

// Callers

export { type Authenticator, type AuthenticatorOptions, createAuthenticator } from './authenticate.ts'
export type { Authentication } from './authentication.ts'
export {
  type Credential,
  extractCredentials,
  isCookie,
  type RequestHeaders,
} from './credentials.ts'
export {
  ANONYMOUS_PRINCIPAL,
  createLocalPrincipal,
  LEGACY_PRINCIPAL,
  type Principal,
  toAbsentPrincipal,
  toUsageSource,
} from './principal.ts'

// Rights

export { checkAccess, checkModelAccess, type RouteRequirement } from './access/access.ts'
export type { Feature } from './access/features.ts'

// Credentials

export { type ApiKeys, createApiKeys } from './api-keys.ts'
export type { ApiKeyDraft } from './key-forms.ts'
export { createLastUse, type LastUse } from './last-use.ts'
export { createSessions, type IssuedSession, SESSION_LIFETIME_MS, type Sessions } from './sessions.ts'
export { createSharedKeys, type SharedKeys } from './shared-keys.ts'
export { createTokenHasher, type TokenHasher } from './token-hasher.ts'

// Rights that end

export { createRevocations, isConcerned, type Revocation, type Revocations } from './revocations.ts'
export { createRightsWatch } from './rights-watch.ts'

// Failures

export { AuthError } from './errors.ts'
