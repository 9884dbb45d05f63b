import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import { queryClient } from './query-client.ts'
import { forgetViewer } from './viewer-data.ts'

/** The person at the interface. */
export interface Viewer {
  /**
   * `open`: the server asks for no sign-in. `keys`: signed in by a shared key, there are no accounts. `account`: signed
   * in with an account. `anonymous`: not signed in.
   */
  readonly kind: 'anonymous' | 'open' | 'keys' | 'account'
  readonly isAdmin: boolean
  readonly id: string
  readonly name: string
  readonly email: string
  readonly avatarUrl: string
  /** The way the account signs in, such as `local` or `github`. */
  readonly provider: string
  /** Features by name; admins have all. */
  readonly permissions: Readonly<Record<string, boolean>>
}

/** The ways to sign in here, and the viewer who is signed in. */
export interface Session {
  readonly viewer: Viewer
  /** Whether the server has accounts. */
  readonly hasAccounts: boolean
  /** Whether a shared key is the only way to sign in. */
  readonly asksForKey: boolean
  readonly providers: readonly string[]
  readonly hasUsers: boolean
  /** `open`, `approval` or `invite`. */
  readonly registrationMode: string
}

const NOBODY = { isAdmin: false, id: '', name: '', email: '', avatarUrl: '', provider: '', permissions: {} } as const

const WAS_INSIDE = 'svc-was-inside'

/** Whether the last page load of this browser had a viewer who was let in. */
export function wasInside(): boolean {
  return localStorage.getItem(WAS_INSIDE) === 'true'
}

/** The state of the session; pages are guarded by it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  async queryFn({ signal }): Promise<Session> {
    const status = await fetchStatus(signal)
    const viewer = readViewer(status)
    localStorage.setItem(WAS_INSIDE, String(viewer.kind !== 'anonymous'))
    return {
      viewer,
      hasAccounts: status.authEnabled,
      asksForKey: status.staticApiKeyRequired,
      providers: status.providers,
      hasUsers: status.hasUsers,
      registrationMode: status.registrationMode,
    }
  },
})

type Status = Awaited<ReturnType<typeof fetchStatus>>
const fetchStatus = (signal: AbortSignal) => unwrap(api.GET('/api/auth/status', { signal }))

function readViewer({ authEnabled, staticApiKeyRequired, user }: Status): Viewer {
  if (user === null) {
    return authEnabled || staticApiKeyRequired
      ? { ...NOBODY, kind: 'anonymous' }
      : { ...NOBODY, kind: 'open', isAdmin: true }
  }
  const { id, name, email, avatarUrl, provider, permissions, role } = user
  return {
    // a viewer with a shared key has no provider
    kind: provider === '' ? 'keys' : 'account',
    id,
    name,
    email,
    avatarUrl,
    provider,
    permissions,
    isAdmin: role === 'admin',
  }
}

/** Whether a viewer may use a feature, such as `pii_filter`. */
export function hasFeature(viewer: Viewer, feature: string): boolean {
  return viewer.isAdmin || viewer.permissions[feature] === true
}

/** The session, which guards load before any page. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

const isOfViewer = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
  queryKey[0] !== 'session' && queryKey[0] !== 'branding'

/** Forgets everything about the viewer and asks who it is now, after signing in. */
export async function renewSession(): Promise<void> {
  queryClient.removeQueries({ predicate: isOfViewer })
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

/**
 * Signs out and forgets everything about the viewer.
 *
 * @param leave goes to a page for strangers; the page before keeps its data until then, so that it asks for nothing
 */
export async function endSession(leave: () => Promise<unknown>): Promise<void> {
  await unwrap(api.POST('/api/auth/logout', {}))
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  await leave()
  queryClient.removeQueries({ predicate: isOfViewer })
  forgetViewer()
}
