import type { ApiKey } from '@svc/auth/ports'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeKey } from './describe.ts'
import { readFields, readOptionalFields, refuseUnknown } from './fields.ts'
import { describeEdit, describeLimits, KEY_FIELDS, readKeyDraft, readKeyEdit } from './key-fields.ts'
import { readId, readPage } from './page.ts'
import { ACCOUNT_ROUTE, type AccountParts, requireAccount } from './parts.ts'

const schemas = () => import('./schemas.ts')

const own = { ...ACCOUNT_ROUTE, access: 'any' } as const
const PATH = '/api/auth/api-keys'

/** The caller's own API keys (§2.3, §4.2). */
export function keyRoutes(parts: AccountParts): Route[] {
  return [...makeAndListRoutes(parts), ...changeRoutes(parts)]
}

function makeAndListRoutes({ auth, bodies }: AccountParts): Route[] {
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
        refuseUnknown(fields, KEY_FIELDS)
        const { key, value } = await auth.apiKeys.create(call.principal, readKeyDraft(fields), call)
        call.noteChange({ target: key.id, name: key.name, details: describeLimits(key) })
        return json(describeIssued(key, value), { status: 201 })
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
  ]
}

function changeRoutes({ auth, bodies }: AccountParts): Route[] {
  return [
    defineRoute({
      ...own,
      method: 'PATCH',
      path: `${PATH}/:id`,
      summary: 'Change or block an API key of the caller',
      audit: { change: 'key.edit', target: 'id' },
      body: async () => (await schemas()).keyEditForm,
      responses: { 200: { description: 'The key, as it is now.', schema: async () => (await schemas()).keyReply } },
      async handler(call) {
        requireAccount(call.principal)
        const edit = readKeyEdit(await readFields(call, bodies))
        const key = await auth.apiKeys.edit(call.principal, readId(call), edit, call)
        call.noteChange(describeEdit(edit, key))
        return json(describeKey(key))
      },
    }),
    defineRoute({
      ...own,
      method: 'POST',
      path: `${PATH}/:id/rotate`,
      summary: 'Give an API key of the caller a new value, which is shown once',
      audit: { change: 'key.rotate', target: 'id' },
      body: async () => (await schemas()).rotationForm,
      responses: { 200: { description: 'The key.', schema: async () => (await schemas()).newKeyReply } },
      async handler(call) {
        requireAccount(call.principal)
        const fields = await readOptionalFields(call, bodies)
        refuseUnknown(fields, ['grace'])
        const { key, value } = await auth.apiKeys.rotate(call.principal, readId(call), fields, call)
        call.noteChange({ name: key.name })
        return json(describeIssued(key, value))
      },
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

/** A key with its value, which is shown here and never again. */
export function describeIssued(issued: ApiKey, value: string) {
  const { lastUsed: _, ...described } = describeKey(issued)
  return { key: value, ...described }
}
