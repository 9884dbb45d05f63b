import type { ApiKey } from '@svc/auth/ports'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeKey, formatTime } from './describe.ts'
import { readFields, refuseUnknown } from './fields.ts'
import { readId, readPage } from './page.ts'
import { ACCOUNT_ROUTE, type AccountParts } from './parts.ts'

const schemas = () => import('./schemas.ts')

const own = { ...ACCOUNT_ROUTE, access: 'any' } as const
const PATH = '/api/auth/api-keys'

/** The caller's own API keys (§2.3, §4.2). */
export function keyRoutes({ auth, bodies }: AccountParts): Route[] {
  return [
    defineRoute({
      ...own,
      method: 'POST',
      path: PATH,
      summary: 'Make an API key; its value is shown once',
      audit: { change: 'key.create' },
      body: async () => (await schemas()).keyForm,
      responses: { 201: { description: 'The key.', schema: async () => (await schemas()).newKeyReply } },
      async handler(call) {
        const fields = await readFields(call, bodies)
        refuseUnknown(fields, ['name', 'expiresIn', 'expiresAt', 'scopes'])
        const { name, expiresIn, expiresAt, scopes } = fields
        const draft = { name, expiresIn, expiresAt, scopes: scopes as ScopesDraft }
        const { key, value } = await auth.apiKeys.create(call.principal, draft, call)
        call.noteChange({ target: key.id, name: key.name, details: describeLimits(key) })
        const { lastUsed: _, ...described } = describeKey(key)
        return json({ key: value, ...described }, { status: 201 })
      },
    }),
    defineRoute({
      ...own,
      method: 'GET',
      path: PATH,
      summary: 'The API keys of the caller, newest first',
      query: async () => (await schemas()).pageQuery,
      responses: {
        200: { description: 'The keys without their values.', schema: async () => (await schemas()).keysReply },
      },
      handler: async (call) =>
        json({ keys: (await auth.apiKeys.list(call.principal.id, readPage(call), call)).map(describeKey) }),
    }),
    defineRoute({
      ...own,
      method: 'DELETE',
      path: `${PATH}/:id`,
      summary: 'Revoke an API key of the caller',
      audit: { change: 'key.revoke', target: 'id' },
      responses: { 200: { description: 'Revoked.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        await auth.apiKeys.revoke({ id: readId(call), userId: call.principal.id }, call)
        return json({ message: 'API key revoked' })
      },
    }),
  ]
}

/** Scopes of any form: the library checks them. */
type ScopesDraft = Parameters<AccountParts['auth']['apiKeys']['create']>[1]['scopes']

/** The limits of a key, for the audit log. */
function describeLimits({ scopes: { routes, models }, expiresAt }: ApiKey): string {
  const limits = [
    ...(expiresAt === undefined ? [] : [`until ${formatTime(expiresAt)}`]),
    ...(routes === undefined ? [] : [`routes ${routes.join(', ')}`]),
    ...(models === undefined ? [] : [`models ${models.join(', ')}`]),
  ]
  return limits.join('; ') || 'no limits'
}
