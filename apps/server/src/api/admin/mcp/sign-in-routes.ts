import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { SignInTarget } from '../../../mcp/sign-ins.ts'
import { findModel, type McpRouteParts } from './route-parts.ts'

const schemas = () => import('./schemas.ts')

const CALLBACK = '/v1/mcp/sign-in/callback'

/** `/v1/mcp/sign-in`: an administrator signs this server in to a remote MCP server. */
export function signInRoutes(parts: McpRouteParts): Route[] {
  const shared = { family: 'compatible', tag: 'mcp' } as const
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      access: 'none',
      path: CALLBACK,
      summary: 'The end of a sign-in to an MCP server: a browser comes back',
      responses: { 200: { description: 'The sign-in is done.', contentType: 'text/plain' } },
      async handler(call) {
        const answer = readAnswer(call)
        const { signIns, follow } = await parts.open()
        const { model, server } = await signIns.finish(answer, call.signal)
        // Sessions without the new tokens end.
        follow(model, undefined)
        return new HttpReply(`Signed in to ${server.name}. This page can be closed.\n`, {
          headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
        })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      access: 'admin',
      path: '/v1/mcp/sign-in/:model/:server',
      summary: 'Begin a sign-in to an MCP server',
      audit: { change: 'mcp.sign-in', target: 'model' },
      responses: {
        200: {
          description: 'The address at which a person signs in, unless none has to.',
          schema: async () => (await schemas()).mcpSignInReply,
        },
      },
      async handler(call) {
        const target = await findTarget(call, parts)
        const { signIns, follow } = await parts.open()
        const url = await signIns.begin(target, new URL(CALLBACK.slice(1), call.baseUrl).href, call.signal)
        if (url === undefined) follow(target.model, undefined)
        return json({ url: url ?? null })
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      access: 'admin',
      path: '/v1/mcp/sign-in/:model/:server',
      summary: 'Forget the sign-in to an MCP server',
      audit: { change: 'mcp.sign-out', target: 'model' },
      responses: { 204: { description: 'Tokens and client are forgotten.' } },
      async handler(call) {
        const target = await findTarget(call, parts)
        const { signIns, follow } = await parts.open()
        await signIns.forget(target)
        follow(target.model, undefined)
        return new HttpReply(null, { status: 204 })
      },
    }),
  ]
}

function readAnswer(call: Call): { readonly state: string; readonly code: string } {
  const [state, code, error] = [call.query('state'), call.query('code'), call.query('error')]
  if (error !== undefined) {
    throw new SvcError('invalid_request', 'the sign-in was refused by the other server', {
      code: 'mcp_sign_in_refused',
    })
  }
  if (state !== undefined && code !== undefined) return { state, code }
  throw new SvcError('invalid_request', 'state and code are missing', { details: { param: 'state' } })
}

/** @throws {SvcError} `not_found` for an unknown model or server */
async function findTarget(call: Call, parts: McpRouteParts): Promise<SignInTarget> {
  const model = findModel(call, parts.models)
  const name = call.param('server')
  call.noteChange({ details: name })
  const settings = (await parts.open()).use(model, [name])[0]?.settings
  if (settings?.kind === 'remote') return { model: model.name, server: settings }
  throw new SvcError('not_found', `the model has no remote MCP server "${name.slice(0, 100)}"`, {
    code: 'mcp_not_found',
    details: { type: 'invalid_request_error', param: 'server' },
  })
}
