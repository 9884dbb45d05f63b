import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { basePath } from '../lib/base-path.ts'
import { brandingQuery } from '../lib/branding.ts'
import { capabilitiesQuery } from '../lib/capabilities.ts'
import { queryClient } from '../lib/query-client.ts'
import { sessionQuery } from '../lib/session.ts'
import { NotFoundPage, PageFailure, RootFailure } from './failure-views.tsx'

export const rootRoute = createRootRoute({
  errorComponent: RootFailure,
  notFoundComponent: NotFoundPage,
  beforeLoad: () => void queryClient.prefetchQuery(brandingQuery),
})

/** Everything below `/app`: the shell, for viewers who are signed in. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'app',
  // the sign-in page does without it
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
  errorComponent: PageFailure,
  async beforeLoad({ location }) {
    const { viewer } = await queryClient.ensureQueryData(sessionQuery)
    // the address is kept with the prefix, as `toSafePath` reads it
    const next = basePath.replace(/\/$/, '') + location.href
    if (viewer.kind === 'anonymous') throw redirect({ to: '/login', search: { next }, replace: true })
    await queryClient.ensureQueryData(capabilitiesQuery)
  },
})
