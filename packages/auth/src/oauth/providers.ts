import { checkArgument } from '@svc/errors'
import { isSafeUrl } from './bounded-fetch.ts'
import type { CodeHostOptions } from './code-host.ts'
import type { OidcOptions, OidcProvider } from './oidc.ts'
import type { SignInProvider } from './provider.ts'

function checkUrl(name: string, url: string | undefined): void {
  const isRight = url === undefined || isSafeUrl(url)
  checkArgument(isRight, name, 'an https address, or http on this machine', url)
}

/** Calls `load` once, and again after it has failed. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** Sign-in at a code host by authorization code with PKCE. The first use loads the code. */
export function createCodeHostProvider(options: CodeHostOptions): SignInProvider {
  checkUrl('createCodeHostProvider: baseUrl', options.baseUrl)
  checkUrl('createCodeHostProvider: apiUrl', options.apiUrl)
  const open = once(async () => (await import('./code-host.ts')).createLoadedCodeHostProvider(options))
  return {
    name: 'github',
    createUrl: async (request, call) => (await open()).createUrl(request, call),
    readIdentity: async (answer, call) => (await open()).readIdentity(answer, call),
  }
}

/** Sign-in at an OIDC issuer by authorization code with PKCE and nonce. The first use loads the code. */
export function createOidcProvider(options: OidcOptions): OidcProvider {
  checkUrl('createOidcProvider: issuer', options.issuer)
  const open = once(async () => (await import('./oidc.ts')).createLoadedOidcProvider(options))
  return {
    name: 'oidc',
    prepare: async (call) => (await open()).prepare(call),
    createUrl: async (request, call) => (await open()).createUrl(request, call),
    readIdentity: async (answer, call) => (await open()).readIdentity(answer, call),
    readLogoutToken: async (token, call) => (await open()).readLogoutToken(token, call),
  }
}
