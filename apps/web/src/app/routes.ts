import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readPiiSearch } from '../features/pii/search.ts'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { definePage } from './define-page.ts'
import { appRoute, rootRoute } from './root-route.ts'

/** Pages inside the shell, one line of code a page. */
export const appPages = [
  definePage(appRoute, {
    path: '/',
    access: 'user',
    namespaces: ['home'],
    load: async () => ({ default: (await import('../features/home/home-page.tsx')).HomePage }),
  }),
  definePage(appRoute, {
    path: 'pii',
    access: 'user',
    feature: 'pii_filter',
    needs: 'pii_filter',
    namespaces: ['pii'],
    search: readPiiSearch,
    load: async () => ({ default: (await import('../features/pii/pii-page.tsx')).PiiPage }),
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
