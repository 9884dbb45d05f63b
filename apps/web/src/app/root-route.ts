import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { basePath } from '../lib/base-path.ts'
import { brandingQuery } from '../lib/branding.ts'
import { capabilitiesQuery } from '../lib/capabilities.ts'
import { queryClient } from '../lib/query-client.ts'
import { sessionQuery, wasInside } from '../lib/session.ts'
import { NotFoundPage, PageFailure, RootFailure } from './failure-views.tsx'

export const rootRoute = createRootRoute({
  errorComponent: RootFailure,
  notFoundComponent: NotFoundPage,
  beforeLoad: () => void queryClient.prefetchQuery(brandingQuery),
})

const loadShell = async (): Promise<{ default: ComponentType }> => ({ default: (await import('./shell.tsx')).Shell })

/** Everything below `/app`: the shell, for viewers who are signed in. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'app',
  component: lazyRouteComponent(loadShell),
  errorComponent: PageFailure,
  async beforeLoad({ location }): Promise<void> {
    // the frame loads beside the session; the sign-in page does without it
    void loadShell().catch(() => {})
    // strangers may not ask for the capabilities, so only viewers who were inside before ask at once
    if (wasInside()) void queryClient.prefetchQuery(capabilitiesQuery)
    const { viewer } = await queryClient.ensureQueryData(sessionQuery)
    // the address is kept with the prefix, as `toSafePath` reads it
    const next = basePath.replace(/\/$/, '') + location.href
    if (viewer.kind === 'anonymous') throw redirect({ to: '/login', search: { next }, replace: true })
    await queryClient.ensureQueryData(capabilitiesQuery)
  },
})
