import { ANONYMOUS_PRINCIPAL, type Authentication, type Authenticator as AuthenticatorOfAccounts } from '@svc/auth'

/** Finds out who is calling. */
export type Authenticator = Pick<AuthenticatorOfAccounts, 'isConfigured' | 'authenticate' | 'recheck'>

/** Nobody: a public route called without valid credentials. */
export const ANONYMOUS: Authentication = {
  principal: ANONYMOUS_PRINCIPAL,
  credential: undefined,
  isRotationDue: false,
  expiresAt: undefined,
}
