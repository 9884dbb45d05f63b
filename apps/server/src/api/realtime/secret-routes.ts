import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { Clock } from '../../ports.ts'
import type { ClientSecrets } from '../../realtime/client-secrets.ts'
import type { Realtime } from '../../realtime/open-session.ts'
import { readJsonBody } from '../read-json-body.ts'
import { realtimeRoute } from './routes.ts'

/** Life of a client secret where the request names none, seconds. */
const USUAL_SECONDS = 600

const schemas = () => import('./schemas.ts')

/** Parts of {@link secretRoutes}. */
export interface SecretParts {
  readonly describe: Realtime['describe']
  readonly secrets: Pick<ClientSecrets, 'create'>
  readonly bodies: BodyReader
  readonly clock: Pick<Clock, 'now'>
}

/** Routes that make short-lived credentials for browsers. */
export function secretRoutes(parts: SecretParts): Route[] {
  return [
    defineRoute({
      ...realtimeRoute,
      method: 'POST',
      path: '/v1/realtime/client_secrets',
      aliases: ['/realtime/client_secrets'],
      summary: 'A short-lived credential that opens realtime sessions of one model',
      body: async () => (await schemas()).clientSecretRequest,
      responses: {
        200: {
          description: 'The credential and its session.',
          schema: async () => (await schemas()).clientSecretReply,
        },
      },
      handler: async (call) => {
        const { clientSecretRequest } = await schemas()
        const body = await readJsonBody(call, clientSecretRequest, parts.bodies)
        const seconds = body.expires_after?.seconds ?? USUAL_SECONDS
        const { session, secret } = await makeSecret(call, { fields: body.session ?? {}, seconds }, parts)
        return json({ ...secret, session })
      },
    }),
    beforeRoute(parts, {
      path: '/v1/realtime/sessions',
      summary: 'A realtime session with a short-lived credential, as the beta made it',
      type: 'realtime',
    }),
    beforeRoute(parts, {
      path: '/v1/realtime/transcription_sessions',
      summary: 'A session that writes down speech, with a short-lived credential, as the beta made it',
      type: 'transcription',
    }),
  ]
}

/** A route of the beta, whose credential is a field of the session. */
function beforeRoute(
  parts: SecretParts,
  {
    path,
    summary,
    type,
  }: { readonly path: string; readonly summary: string; readonly type: 'realtime' | 'transcription' },
): Route {
  return defineRoute({
    ...realtimeRoute,
    method: 'POST',
    path,
    aliases: [path.replace('/v1', '')],
    summary,
    body: async () => (await schemas()).sessionRequest,
    responses: {
      200: { description: 'The session with its credential.', schema: async () => (await schemas()).sessionReply },
    },
    handler: async (call) => {
      const { sessionRequest } = await schemas()
      const fields = await readJsonBody(call, sessionRequest, parts.bodies)
      const made = await makeSecret(call, { fields: { ...fields, type }, seconds: USUAL_SECONDS }, parts)
      return json({ ...made.session, client_secret: made.secret })
    },
  })
}

async function makeSecret(
  call: Call,
  { fields, seconds }: { readonly fields: RealtimeSessionFields; readonly seconds: number },
  { describe, secrets, clock }: SecretParts,
) {
  const model = fields.model ?? ''
  const session = await describe({ model, fields, principal: call.principal })
  const expiresAt = clock.now() + seconds * 1000
  const { value } = await secrets.create({ model, session: fields, expiresAt }, call.authentication)
  return { session, secret: { value, expires_at: Math.floor(expiresAt / 1000) } }
}
