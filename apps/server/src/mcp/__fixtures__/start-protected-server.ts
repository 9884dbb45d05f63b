import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startMcpServer, type TestMcpServer } from './start-mcp-server.ts'

/** A server of tools with an authorization server at the same origin. */
export interface ProtectedServer extends TestMcpServer {
  /** Tokens end, but they can be renewed. */
  expire(): void
  /** Bodies of requests for tokens, and names of registered clients. */
  readonly grants: readonly string[]
}

/** Starts the server. It takes the code of a sign-in with its verifier once, and renews tokens once each. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const grants: string[] = []
  const codes = new Map<string, { readonly challenge: string; readonly client: string }>()
  const renewals = new Set<string>()
  let valid = new Set<string>()

  const issue = (response: ServerResponse): void => {
    const [token, renewal] = [randomUUID(), randomUUID()]
    valid.add(token)
    renewals.add(renewal)
    send(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 60, refresh_token: renewal })
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readText(request))
    const grant = form.get('grant_type') ?? ''
    grants.push(grant)
    if (grant === 'client_credentials') {
      const expected = `Basic ${Buffer.from('me:secret').toString('base64')}`
      return request.headers.authorization === expected ? issue(response) : send(response, 401, { error: 'invalid_client' })
    }
    if (grant === 'refresh_token') {
      if (renewals.delete(form.get('refresh_token') ?? '')) return issue(response)
      return send(response, 400, { error: 'invalid_grant' })
    }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
    if (code?.challenge !== challenge || code.client !== form.get('client_id')) {
      return send(response, 400, { error: 'invalid_grant' })
    }
    issue(response)
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = JSON.parse(await readText(request))
    grants.push(`register ${client.client_name}`)
    send(response, 201, { ...client, client_id: randomUUID() })
  }

  function intercept(request: IncomingMessage, response: ServerResponse): boolean {
    const origin = `http://${request.headers.host}`
    const url = new URL(request.url ?? '', origin)
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) {
      send(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    } else if (url.pathname.startsWith('/.well-known/')) {
      send(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      })
    } else if (url.pathname === '/register') void register(request, response)
    else if (url.pathname === '/token') void giveToken(request, response)
    else if (url.pathname === '/authorize') {
      const code = randomUUID()
      const { searchParams: asked } = url
      codes.set(code, { challenge: asked.get('code_challenge') ?? '', client: asked.get('client_id') ?? '' })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '' }))
      response.writeHead(302, { location: back.href }).end()
    } else if (!valid.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) {
      const header = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
      response.writeHead(401, { 'www-authenticate': header }).end()
    } else return false
    return true
  }

  const server = await startMcpServer({ intercept })
  const expire = (): void => {
    valid = new Set()
  }
  return Object.assign(Object.create(server) as TestMcpServer, { grants, expire })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
