import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHttpServer } from './http-server.ts'

/** An account of the code host, as its API shows it. */
export interface CodeHostAccount {
  readonly user: Readonly<Record<string, unknown>>
  readonly emails: readonly Readonly<Record<string, unknown>>[]
}

/** A double of a code host: the four endpoints that a sign-in uses. */
export interface CodeHost extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiUrl: string
  /** The signed-in user; may change at any time. */
  account: CodeHostAccount
  /** Answers the next API calls with this status. */
  apiStatus: number
  /** Goes where a sign-in sends the browser, and agrees. @returns where the browser is sent back to */
  agree(url: URL): Promise<URL>
  /** Lets codes that were given out expire. */
  expireCodes(): void
}

interface Grant {
  readonly redirectUri: string
  readonly challenge: string
  readonly account: CodeHostAccount
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Starts a code host that knows one client and asks for PKCE. */
export async function startCodeHost(client: {
  readonly clientId: string
  readonly clientSecret: string
  readonly account: CodeHostAccount
}): Promise<CodeHost> {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, CodeHostAccount>()
  const state = { account: client.account, apiStatus: 200 }

  function authorize(url: URL, response: ServerResponse): void {
    const { searchParams: query } = url
    const redirectUri = query.get('redirect_uri') ?? ''
    const isFit =
      query.get('client_id') === client.clientId &&
      query.get('code_challenge_method') === 'S256' &&
      URL.canParse(redirectUri)
    if (!isFit) {
      reply(response, 400, { error: 'invalid_request' })
      return
    }
    const code = randomBytes(10).toString('hex')
    codes.set(code, { redirectUri, challenge: query.get('code_challenge') ?? '', account: state.account })
    const target = new URL(redirectUri)
    target.searchParams.set('code', code)
    target.searchParams.set('state', query.get('state') ?? '')
    response.writeHead(302, { location: target.href }).end()
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request)
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (form.get('client_id') !== client.clientId || form.get('client_secret') !== client.clientSecret) {
      reply(response, 200, { error: 'incorrect_client_credentials' })
      return
    }
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      reply(response, 200, { error: 'bad_verification_code' })
      return
    }
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, grant.account)
    reply(response, 200, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
  }

  function answerApi(path: string, request: IncomingMessage, response: ServerResponse): void {
    const account = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''))
    if (state.apiStatus !== 200) {
      reply(response, state.apiStatus, { message: 'unavailable' })
      return
    }
    if (account === undefined || request.headers['user-agent'] === undefined) {
      reply(response, 401, { message: 'Bad credentials' })
      return
    }
    reply(response, 200, path === '/user' ? account.user : account.emails)
  }

  const server = await startHttpServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://code-host')
    if (request.method === 'GET' && url.pathname === '/login/oauth/authorize') authorize(url, response)
    else if (request.method === 'POST' && url.pathname === '/login/oauth/access_token')
      exchange(request, response).catch(() => response.destroy())
    else if (request.method === 'GET' && /^\/api\/v3\/user(\/emails)?$/.test(url.pathname))
      answerApi(url.pathname.slice('/api/v3'.length), request, response)
    else reply(response, 404, { message: 'Not Found' })
  })
  return {
    baseUrl: server.origin,
    apiUrl: `${server.origin}/api/v3`,
    get account() {
      return state.account
    },
    set account(account) {
      state.account = account
    },
    get apiStatus() {
      return state.apiStatus
    },
    set apiStatus(status) {
      state.apiStatus = status
    },
    async agree(url) {
      const response = await fetch(url, { redirect: 'manual' })
      const location = response.headers.get('location')
      if (location === null) throw new Error(`the code host answers ${response.status}: ${await response.text()}`)
      return new URL(location)
    },
    expireCodes: () => codes.clear(),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
