import {
  ANONYMOUS_PRINCIPAL,
  type Authentication,
  type Authenticator as AuthenticatorOfAccounts,
  type Credential,
  extractCredentials,
  isCookie,
} from '@svc/auth'
import type { ServerRequest } from '../messages.ts'

/** Finds out who is calling. */
export type Authenticator = Pick<AuthenticatorOfAccounts, 'isConfigured' | 'authenticate' | 'recheck'>

/** Nobody: a public route called without valid credentials. */
export const ANONYMOUS: Authentication = {
  principal: ANONYMOUS_PRINCIPAL,
  credential: undefined,
  isRotationDue: false,
  expiresAt: undefined,
}

/** The credential that a request is judged by first. */
export function firstCredential({ headers }: Pick<ServerRequest, 'headers'>): Credential | undefined {
  return extractCredentials(headers)[0]
}

/** Whether a request has a credential in a header, which no page elsewhere can add unasked. */
export function hasHeaderCredential(incoming: Pick<ServerRequest, 'headers'>): boolean {
  const credential = firstCredential(incoming)
  return credential !== undefined && !isCookie(credential)
}
