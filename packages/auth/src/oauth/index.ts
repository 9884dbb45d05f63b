/**
 * Sign-in at a code host and at OIDC issuers: authorization code with PKCE, state and nonce.
 *
 * @module
 */

export { type BackChannelLogoutOptions, endSessionsByToken } from './back-channel-logout.ts'
export { type Fetch, type FetchInit, isSafeUrl } from './bounded-fetch.ts'
export type { CodeHostOptions } from './code-host.ts'
export type { LogoutToken, OidcOptions, OidcProvider } from './oidc.ts'
export type { Identity, SignInProvider, SignInSecrets } from './provider.ts'
export { ProviderError } from './provider-error.ts'
export { createCodeHostProvider, createOidcProvider } from './providers.ts'
export { type BegunSignIn, createSignIn, type SignIn, type SignInCallback, type SignInOptions } from './sign-in.ts'
