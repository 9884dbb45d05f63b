import type { Call } from '../../http/call.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeListed } from './describe.ts'
import { type Fields, readAcknowledgement, readFields, toPasswordRefusal } from './fields.ts'
import { readId, readPage } from './page.ts'
import { type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./schemas.ts')

const USERS = '/api/auth/admin/users'

/** Parts of the routes of accounts for admins. */
interface UserRouteParts extends AccountParts {
  /** Uploaded files and stores of documents. */
  readonly documents: { removeOwner(id: string): Promise<void> }
  /** Masked values of conversations. */
  readonly piiConversations: { removeOwner(id: string): Promise<void> }
}

/** Accounts as admins change them: list, role, status, password, deletion (§4.2). */
export function userRoutes(parts: UserRouteParts): Route[] {
  return [listRoute(parts), ...changeRoutes(parts), deleteRoute(parts)]
}

function listRoute({ auth: { accounts, quotas, groups } }: AccountParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'GET',
    path: USERS,
    summary: 'All accounts, oldest first',
    query: async () => (await schemas()).pageQuery,
    responses: { 200: { description: 'The accounts.', schema: async () => (await schemas()).usersReply } },
    async handler(call) {
      const users = await accounts.list(readPage(call), call)
      const ids = users.map(({ id }) => id)
      const [seen, all, memberships] = await Promise.all([
        accounts.readLastSeen(ids, call),
        quotas.readStatuses(ids, call),
        groups.listByUsers(ids, call),
      ])
      const byUser = new Map<string, (typeof all)[number][]>()
      for (const quota of all) byUser.set(quota.userId, [...(byUser.get(quota.userId) ?? []), quota])
      return json({
        users: users.map((user) =>
          describeListed(user, {
            seenAt: seen.get(user.id),
            quotas: byUser.get(user.id) ?? [],
            groups: memberships.get(user.id) ?? [],
          }),
        ),
      })
    },
  })
}

function changeRoutes({ auth, bodies }: AccountParts): Route[] {
  const { accounts } = auth
  const change = (
    { name, summary, done, body }: Pick<Route, 'summary' | 'body'> & { readonly name: string; readonly done: string },
    apply: (id: string, fields: Fields, call: Call) => Promise<void>,
  ): Route =>
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PUT',
      path: `${USERS}/:id/${name}`,
      summary,
      audit: { change: `user.${name}`, target: 'id' },
      body,
      mapError: toPasswordRefusal,
      responses: { 200: { description: 'Changed, and in force.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        const fields = await readFields(call, bodies)
        const { id, email } = await accounts.read(readId(call), call)
        await apply(id, fields, call)
        call.noteChange({ name: email, ...(name === 'password' ? {} : { details: String(fields[name]) }) })
        return json({ message: done })
      },
    })
  return [
    change(
      {
        name: 'role',
        summary: 'Make an account an admin, or a user again',
        done: 'role updated',
        body: async () => (await schemas()).roleForm,
      },
      (id, { role }, call) => accounts.setRole(id, { role, actorId: call.principal.id }, call),
    ),
    change(
      {
        name: 'status',
        summary: 'Approve or disable an account',
        done: 'status updated',
        body: async () => (await schemas()).statusForm,
      },
      (id, { status }, call) => accounts.setStatus(id, { status, actorId: call.principal.id }, call),
    ),
    change(
      {
        name: 'password',
        summary: 'Set the password of an account and end its sessions',
        done: 'password reset successfully',
        body: async () => (await schemas()).passwordForm,
      },
      (id, fields, call) =>
        accounts.resetPassword(
          id,
          {
            password: fields.password,
            acknowledgesWeakPassword: readAcknowledgement(fields),
            actorId: call.principal.id,
          },
          call,
        ),
    ),
  ]
}

function deleteRoute({ auth, documents, piiConversations }: UserRouteParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'DELETE',
    path: `${USERS}/:id`,
    summary: 'Delete an account with everything that belongs to it',
    audit: { change: 'user.delete', target: 'id' },
    responses: { 200: { description: 'Deleted.', schema: async () => (await schemas()).doneReply } },
    async handler(call) {
      const { id, email } = await auth.accounts.read(readId(call), call)
      await auth.accounts.remove(id, { actorId: call.principal.id }, call)
      call.noteChange({ name: email })
      await piiConversations.removeOwner(id).catch((err: unknown) => {
        call.log.warn({ err, user: id }, 'the masked values of a deleted account could not be removed')
      })
      // There may be many.
      documents.removeOwner(id).catch((err: unknown) => {
        call.log.warn({ err, user: id }, 'the files of a deleted account could not be removed')
      })
      return json({ message: 'user deleted' })
    },
  })
}
