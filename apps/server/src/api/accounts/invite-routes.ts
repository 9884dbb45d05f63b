import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeInvite, formatTime } from './describe.ts'
import { readOptionalFields, refuseUnknown } from './fields.ts'
import { readId, readPage } from './page.ts'
import { type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./schemas.ts')

const INVITES = '/api/auth/admin/invites'

/** Invites as admins make, list and revoke them (§2.5, §4.2). */
export function inviteRoutes({ auth, bodies }: AccountParts): Route[] {
  const { invites } = auth
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'POST',
      path: INVITES,
      summary: 'Make an invite; its code is shown once',
      audit: { change: 'invite.create' },
      body: async () => (await schemas()).inviteForm,
      responses: { 201: { description: 'The invite.', schema: async () => (await schemas()).newInviteReply } },
      async handler(call) {
        const fields = await readOptionalFields(call, bodies)
        refuseUnknown(fields, ['expiresInHours', 'note'])
        const { expiresInHours, note } = fields
        const createdBy = call.principal.kind === 'user' ? call.principal.id : undefined
        const { id, code, createdAt, expiresAt } = await invites.create({ expiresInHours, note, createdBy }, call)
        const times = { expiresAt: formatTime(expiresAt), createdAt: formatTime(createdAt) }
        call.noteChange({ target: id, details: `until ${times.expiresAt}` })
        return json({ id, code, ...times }, { status: 201 })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: INVITES,
      summary: 'All invites, newest first',
      query: async () => (await schemas()).pageQuery,
      responses: {
        200: { description: 'The invites without their codes.', schema: async () => (await schemas()).invitesReply },
      },
      handler: async (call) => json({ invites: (await invites.list(readPage(call), call)).map(describeInvite) }),
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'DELETE',
      path: `${INVITES}/:id`,
      summary: 'Revoke an unused invite',
      audit: { change: 'invite.revoke', target: 'id' },
      responses: { 200: { description: 'Revoked.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        await invites.revoke(readId(call), call)
        return json({ message: 'invite revoked' })
      },
    }),
  ]
}
