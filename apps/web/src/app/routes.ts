import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readApiSearch } from '../features/api/search.ts'
import { readBackendsSearch } from '../features/backends/search.ts'
import { readChatSearch } from '../features/chat/search.ts'
import { readEventsSearch } from '../features/events/search.ts'
import { readExplorerSearch } from '../features/explorer/search.ts'
import { readLogsSearch } from '../features/logs/search.ts'
import { readEditorSearch, readNewModelSearch } from '../features/model-editor/search.ts'
import { readModelsSearch } from '../features/models/search.ts'
import { readSettingsSearch } from '../features/settings/search.ts'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { readTracesSearch } from '../features/traces/search.ts'
import { readUsageSearch } from '../features/usage/search.ts'
import { readInvitesSearch, readKeysSearch, readUsersSearch } from '../features/users/search.ts'
import { agentPages } from './agent-routes.ts'
import { definePage, type PageModule } from './define-page.ts'
import { NotFoundPage } from './failure-views.tsx'
import { labPages } from './lab-routes.ts'
import { nodePages } from './node-routes.ts'
import { ACCOUNT_ACCESS, SETTINGS_ACCESS, USERS_ACCESS } from './pages.ts'
import { appRoute, rootRoute } from './root-route.ts'

/** The list of traces stays while one of them is open beside it. */
const tracesPage = definePage(appRoute, {
  path: 'traces',
  access: 'admin',
  needs: 'traces',
  namespaces: ['traces'],
  search: readTracesSearch,
  load: async (): Promise<PageModule> => ({ default: (await import('../features/traces/traces-page.tsx')).TracesPage }),
})

const tracePage = createRoute({ getParentRoute: () => tracesPage, path: '$id' })

/** The page of traces with the one that is open. */
export const tracesRoutes = tracesPage.addChildren([tracePage])

/** Pages inside the shell. */
export const appPages = [
  createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFoundPage }),
  ...labPages,
  ...agentPages,
  ...nodePages,
  definePage(appRoute, {
    path: '/',
    access: 'user',
    namespaces: ['home', 'chat'],
    load: async (): Promise<PageModule> => ({ default: (await import('../features/home/home-page.tsx')).HomePage }),
  }),
  definePage(appRoute, {
    path: 'chat',
    access: 'user',
    feature: 'chat',
    namespaces: ['chat'],
    search: readChatSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/chat/chat-page.tsx')).ChatPage }),
  }),
  definePage(appRoute, {
    path: 'chat/$id',
    access: 'user',
    feature: 'chat',
    namespaces: ['chat'],
    search: readChatSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/chat/chat-page.tsx')).ChatPage }),
  }),
  definePage(appRoute, {
    path: 'activity',
    access: 'admin',
    needs: 'operations',
    namespaces: ['activity', 'operations'],
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/activity/activity-page.tsx')).ActivityPage,
    }),
  }),
  definePage(appRoute, {
    path: 'backends',
    access: 'admin',
    needs: 'backend_gallery',
    namespaces: ['backends', 'operations'],
    search: readBackendsSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/backends/backends-page.tsx')).BackendsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'models',
    access: 'admin',
    namespaces: ['models', 'operations'],
    search: readModelsSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/models/models-page.tsx')).ModelsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'models/new',
    access: 'admin',
    needs: 'model_editor',
    namespaces: ['model-editor', 'model-keys', 'models'],
    search: readNewModelSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/model-editor/new-model-page.tsx')).NewModelPage,
    }),
  }),
  definePage(appRoute, {
    path: 'models/$name',
    access: 'admin',
    needs: 'model_editor',
    namespaces: ['model-editor', 'model-keys', 'models'],
    search: readEditorSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/model-editor/editor-page.tsx')).EditorPage,
    }),
  }),
  definePage(appRoute, {
    path: 'account',
    ...ACCOUNT_ACCESS,
    namespaces: ['account', 'limits'],
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/account/account-page.tsx')).AccountPage,
    }),
  }),
  definePage(appRoute, {
    path: 'account/keys',
    ...ACCOUNT_ACCESS,
    namespaces: ['account'],
    load: async (): Promise<PageModule> => ({ default: (await import('../features/account/keys-page.tsx')).KeysPage }),
  }),
  definePage(appRoute, {
    path: 'users',
    ...USERS_ACCESS,
    namespaces: ['users'],
    search: readUsersSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/users/users-page.tsx')).UsersPage }),
  }),
  definePage(appRoute, {
    path: 'users/invites',
    ...USERS_ACCESS,
    namespaces: ['users'],
    search: readInvitesSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/users/invites-page.tsx')).InvitesPage,
    }),
  }),
  definePage(appRoute, {
    path: 'users/keys',
    ...USERS_ACCESS,
    namespaces: ['users', 'account'],
    search: readKeysSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/users/managed-keys-page.tsx')).ManagedKeysPage,
    }),
  }),
  definePage(appRoute, {
    path: 'users/limits',
    ...USERS_ACCESS,
    namespaces: ['users', 'limits'],
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/users/limits/limits-page.tsx')).LimitsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'api',
    access: 'user',
    namespaces: ['api', 'instructions'],
    search: readApiSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/api/api-page.tsx')).ApiPage }),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: 'settings',
    beforeLoad: (): void => {
      throw redirect({ to: '/app/settings/$section', params: { section: 'branding' }, replace: true })
    },
  }),
  definePage(appRoute, {
    path: 'settings/$section',
    ...SETTINGS_ACCESS,
    namespaces: ['settings', 'setting-keys'],
    search: readSettingsSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/settings/settings-page.tsx')).SettingsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'monitor',
    access: 'admin',
    namespaces: ['monitor'],
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/monitor/monitor-page.tsx')).MonitorPage,
    }),
  }),
  definePage(appRoute, {
    path: 'backends/logs/$model',
    access: 'admin',
    needs: 'backend_logs',
    namespaces: ['logs'],
    search: readLogsSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/logs/logs-page.tsx')).LogsPage }),
  }),
  definePage(appRoute, {
    path: 'usage',
    access: 'user',
    needs: 'usage',
    namespaces: ['usage'],
    search: readUsageSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/usage/usage-page.tsx')).UsagePage }),
  }),
  definePage(appRoute, {
    path: 'events',
    access: 'admin',
    needs: 'events',
    namespaces: ['events'],
    search: readEventsSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/events/events-page.tsx')).EventsPage,
    }),
  }),
]

/** Pages outside of the shell. */
export const publicPages = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'login',
    validateSearch: readSignInSearch,
    loader: () => i18next.loadNamespaces(['sign-in']),
    component: lazyRouteComponent(
      async (): Promise<PageModule> => ({ default: (await import('./entry-routes.tsx')).LoginRoute }),
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'invite/$code',
    loader: () => i18next.loadNamespaces(['sign-in']),
    component: lazyRouteComponent(
      async (): Promise<PageModule> => ({ default: (await import('./entry-routes.tsx')).InviteRoute }),
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'explorer',
    validateSearch: readExplorerSearch,
    loader: () => i18next.loadNamespaces(['explorer', 'instructions']),
    component: lazyRouteComponent(
      async (): Promise<PageModule> => ({
        default: (await import('../features/explorer/explorer-page.tsx')).ExplorerPage,
      }),
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: (): void => {
      throw redirect({ to: '/app', replace: true })
    },
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'browse/$',
    beforeLoad: ({ params, search }): void => {
      throw redirect({ to: `/app/${params._splat ?? ''}` as '/app', search, replace: true })
    },
  }),
]
