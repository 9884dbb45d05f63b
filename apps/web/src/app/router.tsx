import { createRouter } from '@tanstack/react-router'
import { Skeleton } from '../components/ui/states.tsx'
import { basePath } from '../lib/base-path.ts'
import { queryClient, setSignedOutHandler } from '../lib/query-client.ts'
import { sessionQuery } from '../lib/session.ts'
import { NotFoundPage, PageFailure } from './failure-views.tsx'
import { createRedirectRoutes } from './redirect-routes.ts'
import { appRoute, rootRoute } from './root-route.ts'
import { appPages, publicPages, tracesRoutes } from './routes.ts'

// Nothing links to an old address, so the types of links leave them out.
const oldAddresses = createRedirectRoutes(appRoute) as unknown as readonly []

const routeTree = rootRoute.addChildren([
  appRoute.addChildren([...appPages, tracesRoutes, ...oldAddresses]),
  ...publicPages,
])

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFoundPage,
  // shown while a slow server answers for the session, and while a slow page loads
  defaultPendingComponent: () => <Skeleton lines={6} />,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
})

// A session that ended in mid-page leads to the sign-in page and back; pages keep their drafts.
setSignedOutHandler(() => {
  const known = queryClient.getQueryData(sessionQuery.queryKey)
  if (known === undefined || known.viewer.kind === 'anonymous') return
  void (async () => {
    const { viewer } = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (viewer.kind === 'anonymous') await router.invalidate()
  })()
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
