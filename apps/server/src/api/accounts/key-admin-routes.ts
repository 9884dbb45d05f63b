import type { Principal } from '@svc/auth'
import type { KeyFilter, User } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeManagedKey } from './describe.ts'
import { readFields, readOptionalFields, refuseUnknown } from './fields.ts'
import { describeEdit, describeLimits, KEY_FIELDS, readKeyDraft, readKeyEdit } from './key-fields.ts'
import { describeIssued } from './key-routes.ts'
import { readId, readPage } from './page.ts'
import { type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./schemas.ts')

const PATH = '/api/auth/admin/api-keys'
const MAX_TEXT = 200

/** Keys of services and of all accounts, as admins make, change and revoke them. */
export function keyAdminRoutes(parts: AccountParts): Route[] {
  return [...readRoutes(parts), makeRoute(parts), ...changeRoutes(parts)]
}

function readRoutes({ auth }: AccountParts): Route[] {
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: PATH,
      summary: 'The API keys of services and of all accounts, newest first',
      query: async () => (await schemas()).keyListQuery,
      responses: {
        200: { description: 'The keys without their values.', schema: async () => (await schemas()).managedKeysReply },
      },
      handler: async (call) =>
        json({
          keys: (await auth.apiKeys.listAll({ ...readFilter(call), ...readPage(call) }, call)).map(describeManagedKey),
        }),
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: `${PATH}/:id`,
      summary: 'An API key of a service or an account',
      responses: {
        200: { description: 'The key without its value.', schema: async () => (await schemas()).managedKeyReply },
      },
      handler: async (call) => json(describeManagedKey(await auth.apiKeys.find(readId(call), call))),
    }),
  ]
}

function makeRoute({ auth, bodies }: AccountParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'POST',
    path: PATH,
    summary: 'Make an API key for a service, or for an account; its value is shown once',
    audit: { change: 'key.create' },
    body: async () => (await schemas()).managedKeyForm,
    responses: { 201: { description: 'The key.', schema: async () => (await schemas()).newKeyReply } },
    async handler(call) {
      requireNoLimits(call.principal)
      const fields = await readFields(call, bodies)
      refuseUnknown(fields, [...KEY_FIELDS, 'user_id'])
      const owner = await findOwner(fields.user_id, auth, call)
      const createdBy = call.principal.kind === 'user' ? call.principal.id : undefined
      const { signal } = call
      const { key, value } = await auth.apiKeys.createFor(owner, readKeyDraft(fields), { signal, createdBy })
      call.noteChange({
        target: key.id,
        name: key.name,
        details: `of ${owner?.email ?? 'a service'}; ${describeLimits(key)}`,
      })
      return json(describeIssued(key, value), { status: 201 })
    },
  })
}

function changeRoutes({ auth, bodies }: AccountParts): Route[] {
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PATCH',
      path: `${PATH}/:id`,
      summary: 'Change, block or unblock an API key of a service or an account',
      audit: { change: 'key.edit', target: 'id' },
      body: async () => (await schemas()).keyEditForm,
      responses: {
        200: { description: 'The key, as it is now.', schema: async () => (await schemas()).managedKeyReply },
      },
      async handler(call) {
        requireNoLimits(call.principal)
        const edit = readKeyEdit(await readFields(call, bodies))
        const found = await auth.apiKeys.editAny(readId(call), edit, call)
        call.noteChange(describeEdit(edit, found.key))
        return json(describeManagedKey(found))
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'POST',
      path: `${PATH}/:id/rotate`,
      summary: 'Give an API key of a service or an account a new value, which is shown once',
      audit: { change: 'key.rotate', target: 'id' },
      body: async () => (await schemas()).rotationForm,
      responses: { 200: { description: 'The key.', schema: async () => (await schemas()).newKeyReply } },
      async handler(call) {
        requireNoLimits(call.principal)
        const fields = await readOptionalFields(call, bodies)
        refuseUnknown(fields, ['grace'])
        const { key, value } = await auth.apiKeys.rotateAny(readId(call), fields, call)
        call.noteChange({ name: key.name })
        return json(describeIssued(key, value))
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'DELETE',
      path: `${PATH}/:id`,
      summary: 'Revoke an API key of a service or an account',
      audit: { change: 'key.revoke', target: 'id' },
      responses: { 200: { description: 'Revoked.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        const { key } = await auth.apiKeys.find(readId(call), call)
        await auth.apiKeys.revoke(key, call)
        call.noteChange({ name: key.name })
        return json({ message: 'API key revoked' })
      },
    }),
  ]
}

/** The account of a new key; undefined for a service. */
async function findOwner(id: unknown, auth: AccountParts['auth'], call: Call): Promise<User | undefined> {
  if (id === undefined || id === null) return undefined
  if (typeof id !== 'string') throw invalid('user_id must be the id of an account', 'user_id')
  return auth.accounts.read(id, call)
}

/** A caller with the limits of a key would make or widen a key beyond them. @throws {SvcError} `forbidden` */
function requireNoLimits({ scopes }: Principal): void {
  if (scopes === undefined) return
  throw new SvcError('forbidden', 'an API key with limits makes and changes no keys', { code: 'limited_key' })
}

function invalid(message: string, param: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_query', details: { param } })
}

function readFlag(call: Pick<Call, 'query'>, name: string): boolean | undefined {
  const value = call.query(name)
  if (value === undefined || value === '') return undefined
  if (value !== 'true' && value !== 'false') throw invalid(`${name} must be true or false`, name)
  return value === 'true'
}

/** The keys that a call asks for. @throws {SvcError} `invalid_request` */
function readFilter(call: Pick<Call, 'query'>): KeyFilter {
  const [userId, text] = [call.query('user_id'), call.query('text')]
  if ((text?.length ?? 0) > MAX_TEXT) throw invalid(`text is longer than ${MAX_TEXT} characters`, 'text')
  // PostgreSQL takes no NUL in a text.
  if (`${userId ?? ''}${text ?? ''}`.includes('\0')) throw invalid('text and user_id hold no NUL', 'text')
  return {
    userId: userId === '' ? undefined : userId,
    text: text === '' ? undefined : text,
    isService: readFlag(call, 'service'),
    isBlocked: readFlag(call, 'blocked'),
  }
}
