import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readApiSearch } from '../features/api/search.ts'
import { readExplorerSearch } from '../features/explorer/search.ts'
import { readSettingsSearch } from '../features/settings/search.ts'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { readInvitesSearch, readUsersSearch } from '../features/users/search.ts'
import { definePage } from './define-page.ts'
import { ACCOUNT_ACCESS, SETTINGS_ACCESS, USERS_ACCESS } from './pages.ts'
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
    path: 'account',
    ...ACCOUNT_ACCESS,
    namespaces: ['account'],
    load: async () => ({ default: (await import('../features/account/account-page.tsx')).AccountPage }),
  }),
  definePage(appRoute, {
    path: 'account/keys',
    ...ACCOUNT_ACCESS,
    namespaces: ['account'],
    load: async () => ({ default: (await import('../features/account/keys-page.tsx')).KeysPage }),
  }),
  definePage(appRoute, {
    path: 'users',
    ...USERS_ACCESS,
    namespaces: ['users'],
    search: readUsersSearch,
    load: async () => ({ default: (await import('../features/users/users-page.tsx')).UsersPage }),
  }),
  definePage(appRoute, {
    path: 'users/invites',
    ...USERS_ACCESS,
    namespaces: ['users'],
    search: readInvitesSearch,
    load: async () => ({ default: (await import('../features/users/invites-page.tsx')).InvitesPage }),
  }),
  definePage(appRoute, {
    path: 'api',
    access: 'user',
    namespaces: ['api'],
    search: readApiSearch,
    load: async () => ({ default: (await import('../features/api/api-page.tsx')).ApiPage }),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: 'settings',
    beforeLoad: () => {
      throw redirect({ to: '/app/settings/$section', params: { section: 'branding' }, replace: true })
    },
  }),
  definePage(appRoute, {
    path: 'settings/$section',
    ...SETTINGS_ACCESS,
    namespaces: ['settings'],
    search: readSettingsSearch,
    load: async () => ({ default: (await import('../features/settings/settings-page.tsx')).SettingsPage }),
  }),
]

/** Pages outside of the shell. */
export const publicPages = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'login',
    validateSearch: readSignInSearch,
    loader: () => i18next.loadNamespaces(['sign-in']),
    component: lazyRouteComponent(async () => ({ default: (await import('./entry-routes.tsx')).LoginRoute })),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'invite/$code',
    loader: () => i18next.loadNamespaces(['sign-in']),
    component: lazyRouteComponent(async () => ({ default: (await import('./entry-routes.tsx')).InviteRoute })),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'explorer',
    validateSearch: readExplorerSearch,
    loader: () => i18next.loadNamespaces(['explorer']),
    component: lazyRouteComponent(async () => ({
      default: (await import('../features/explorer/explorer-page.tsx')).ExplorerPage,
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
