import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readEventsSearch } from '../features/events/search.ts'
import { readLogsSearch } from '../features/logs/search.ts'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { readTracesSearch } from '../features/traces/search.ts'
import { readUsageSearch } from '../features/usage/search.ts'
import { definePage } from './define-page.ts'
import { NotFoundPage } from './failure-views.tsx'
import { appRoute, rootRoute } from './root-route.ts'

/** The list of traces stays while one of them is open beside it. */
const tracesPage = definePage(appRoute, {
  path: 'traces',
  access: 'admin',
  needs: 'traces',
  namespaces: ['traces'],
  search: readTracesSearch,
  load: async () => ({ default: (await import('../features/traces/traces-page.tsx')).TracesPage }),
})

/** Pages inside the shell. */
export const appPages = [
  createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFoundPage }),
  definePage(appRoute, {
    path: '/',
    access: 'user',
    namespaces: ['home'],
    load: async () => ({ default: (await import('../features/home/home-page.tsx')).HomePage }),
  }),
  tracesPage.addChildren([createRoute({ getParentRoute: () => tracesPage, path: '$id' })]),
  definePage(appRoute, {
    path: 'monitor',
    access: 'admin',
    namespaces: ['monitor'],
    load: async () => ({ default: (await import('../features/monitor/monitor-page.tsx')).MonitorPage }),
  }),
  definePage(appRoute, {
    path: 'backends/logs/$model',
    access: 'admin',
    needs: 'backend_logs',
    namespaces: ['logs'],
    search: readLogsSearch,
    load: async () => ({ default: (await import('../features/logs/logs-page.tsx')).LogsPage }),
  }),
  definePage(appRoute, {
    path: 'usage',
    access: 'user',
    needs: 'usage',
    namespaces: ['usage'],
    search: readUsageSearch,
    load: async () => ({ default: (await import('../features/usage/usage-page.tsx')).UsagePage }),
  }),
  definePage(appRoute, {
    path: 'events',
    access: 'admin',
    needs: 'events',
    namespaces: ['events'],
    search: readEventsSearch,
    load: async () => ({ default: (await import('../features/events/events-page.tsx')).EventsPage }),
  }),
]

/** Pages outside of the shell. */
export const publicPages = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'login',
    validateSearch: readSignInSearch,
    loader: () => i18next.loadNamespaces(['sign-in']),
    component: lazyRouteComponent(async () => ({
      default: (await import('../features/sign-in/sign-in-page.tsx')).SignInPage,
    })),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/app', replace: true })
    },
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'browse/$',
    beforeLoad: ({ params }) => {
      throw redirect({ to: `/app/${params._splat ?? ''}` as '/app', replace: true })
    },
  }),
]
