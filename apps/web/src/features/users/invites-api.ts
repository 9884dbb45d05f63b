import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { useSession } from '../../lib/session.ts'
import type { InviteState } from './search.ts'

const fetchInvites = async (signal?: AbortSignal) =>
  (await unwrap(api.GET('/api/auth/admin/invites', signal === undefined ? {} : { signal }))).invites

export type Invite = Awaited<ReturnType<typeof fetchInvites>>[number]

/** All invites, newest first. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: ({ signal }) => fetchInvites(signal),
})

/** Whether an invite waits, was used, or came to its end. */
export function readState({ usedAt, expiresAt }: Pick<Invite, 'usedAt' | 'expiresAt'>, now = Date.now()): InviteState {
  if (usedAt !== null) return 'used'
  return Date.parse(expiresAt) <= now ? 'expired' : 'unused'
}

/** The days that an invite can be valid for, beside a number of one's own. */
export const LIFETIME_DAYS = [1, 7, 30] as const

/** An invite to be made. */
export interface InviteDraft {
  readonly days: number
  /** The admins' own words; may be empty. */
  readonly note: string
}

/** Makes an invite. It appears in the list at once. Only the reply holds the code. */
export function useMakeInvite() {
  const cache = useQueryClient()
  const { viewer } = useSession()
  return useMutation({
    mutationFn: ({ days, note }: InviteDraft) =>
      unwrap(
        api.POST('/api/auth/admin/invites', { body: { expiresInHours: days * 24, ...(note !== '' && { note }) } }),
      ),
    onSuccess({ id, code, createdAt, expiresAt }, { note }) {
      const made: Invite = {
        id,
        createdAt,
        expiresAt,
        note,
        codePrefix: code.slice(0, 8),
        usedAt: null,
        usedBy: null,
        createdBy: viewer.kind === 'account' ? { id: viewer.id, name: viewer.name } : null,
      }
      cache.setQueryData(invitesQuery.queryKey, (invites = []) => [made, ...invites])
    },
  })
}

/** Revokes an unused invite; it leaves the list with the reply. */
export function useRevokeInvite() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/auth/admin/invites/{id}', { params: { path: { id } } })),
    onSuccess: (_, id) =>
      cache.setQueryData(invitesQuery.queryKey, (invites = []) => invites.filter((each) => each.id !== id)),
  })
}
