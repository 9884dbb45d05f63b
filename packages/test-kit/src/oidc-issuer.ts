import { createServer } from 'node:http'
import { listenOnFreePort } from './http-server.ts'

/** An OIDC issuer on this machine that keeps to the standard. */
export interface OidcIssuer extends AsyncDisposable {
  readonly issuer: string
  /** Signs an account in where a sign-in sends the browser, and agrees. @returns where the browser is sent back to */
  agree(url: URL, login: string): Promise<URL>
  /** Signs out the person whose browser has agreed last, and notifies clients with a logout address. */
  signOut(): Promise<void>
}

const MAX_STEPS = 12

/** Cookies of one browser and one server. */
function createCookies() {
  const cookies = new Map<string, string>()
  return {
    read: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    keep(response: Response): void {
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';', 1)
        const separator = pair.indexOf('=')
        const [name, value] = [pair.slice(0, separator), pair.slice(separator + 1)]
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
    },
  }
}

/** The form of a page: its target and its fields. */
function readForm(page: string, login: string): { readonly action: string; readonly body: URLSearchParams } {
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]
  if (action === undefined || prompt === undefined) throw new Error('the issuer shows no form')
  const body = new URLSearchParams({ prompt })
  if (prompt === 'login') {
    body.set('login', login)
    body.set('password', 'any')
  }
  return { action, body }
}

/** The page on which a person agrees to sign out, as a form. */
function readLogoutForm(page: string): { readonly action: string; readonly body: URLSearchParams } {
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
  const guard = /name="xsrf" value="([^"]+)"/.exec(page)?.[1]
  if (action === undefined || guard === undefined) throw new Error('the issuer shows no form to sign out')
  return { action, body: new URLSearchParams({ xsrf: guard, logout: 'yes' }) }
}

/**
 * Starts the certified implementation `oidc-provider` with one client. An account is made for every login; `toClaims`
 * gives its claims.
 */
export async function startOidcIssuer(options: {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  readonly toClaims: (login: string) => Readonly<Record<string, unknown>>
  /** The client's form of proof. @default client_secret_post */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Address that is notified when a person has signed out. @default none */
  readonly logoutUri?: string
}): Promise<OidcIssuer> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  const issuer = `http://127.0.0.1:${port}`
  // imported here: it is large, and speaks of itself when it is loaded
  const { Provider } = await import('oidc-provider')
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: options.clientId,
        client_secret: options.clientSecret,
        redirect_uris: [options.redirectUri],
        token_endpoint_auth_method: options.authMethod ?? 'client_secret_post',
        ...(options.logoutUri === undefined
          ? {}
          : { backchannel_logout_uri: options.logoutUri, backchannel_logout_session_required: true }),
      },
    ],
    features: { backchannelLogout: { enabled: true } },
    // its own way out refuses addresses of this machine
    fetch: (url, { method = 'GET', headers = {}, body = null } = {}) =>
      fetch(url, { method, headers, body, redirect: 'manual' }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['a key of a test'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, ...options.toClaims(id) }),
    }),
  })
  const answer = provider.callback()
  let cookies = createCookies()
  const send = async (url: URL, body?: URLSearchParams): Promise<Response> => {
    const method = body === undefined ? {} : { method: 'POST', body }
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookies.read() }, ...method })
    cookies.keep(response)
    return response
  }
  server.on('request', (request, response) => void answer(request, response))
  return {
    issuer,
    async agree(start, login) {
      cookies = createCookies()
      const { host } = new URL(options.redirectUri)
      let step: { readonly url: URL; readonly body?: URLSearchParams } = { url: start }
      for (let count = 0; count < MAX_STEPS; count += 1) {
        const { url, body } = step
        if (url.host === host) return url
        const response = await send(url, body)
        const location = response.headers.get('location')
        if (location !== null) step = { url: new URL(location, url) }
        else {
          const form = readForm(await response.text(), login)
          step = { url: new URL(form.action, url), body: form.body }
        }
      }
      throw new Error('the issuer does not come to an end')
    },
    async signOut() {
      const page = new URL(`${issuer}/session/end`)
      const { action, body } = readLogoutForm(await (await send(page)).text())
      const done = await send(new URL(action, page), body)
      if (done.status >= 400) throw new Error(`the issuer signs nobody out: ${done.status} ${await done.text()}`)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
