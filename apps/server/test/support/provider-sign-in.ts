import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/test-kit'
import { expect } from 'vitest'
import type { Browser } from './browser.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** The client that all providers know. */
export const CLIENT = { clientId: 'client', clientSecret: 'a secret of the client' }

/** Providers by the names in their addresses. */
export type ProviderName = 'oidc' | 'github'
/** The consent of a person at the provider. */
export type Agree = (url: URL) => Promise<URL>

/** A port that is free now. */
export async function findPort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

/** A server whose port is known before it starts, as its providers must know it. */
export async function startAt(port: number, options: TestServerOptions): Promise<TestServer> {
  return startTestServer({
    ...options,
    flags: ['--auth-enabled', '--auth-rate-limit=0', `--address=127.0.0.1:${port}`, ...(options.flags ?? [])],
    env: { SVC_BASE_URL: `http://127.0.0.1:${port}`, ...options.env },
  })
}

/** The path of an address with its query. */
export const toPath = (url: URL): string => `${url.pathname}${url.search}`

/** A browser that begins, agrees, and is back with the answer of the provider. */
export async function goThere(browser: Browser, name: ProviderName, agree: Agree, query = ''): Promise<URL> {
  const begun = await browser.call(`/api/auth/${name}/login${query}`)
  expect(begun.status).toBe(307)
  return agree(new URL(begun.headers.location ?? ''))
}

/** A whole sign-in. */
export async function signIn(browser: Browser, name: ProviderName, agree: Agree, query = '') {
  return browser.call(toPath(await goThere(browser, name, agree, query)))
}

/** The variables of a server for an OIDC issuer. */
export const oidcEnv = (issuer: string): Record<string, string> => ({
  SVC_OIDC_ISSUER: issuer,
  SVC_OIDC_CLIENT_ID: CLIENT.clientId,
  SVC_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
})
