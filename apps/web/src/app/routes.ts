import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import i18next from 'i18next'
import { readBackendsSearch } from '../features/backends/search.ts'
import { readEditorSearch, readNewModelSearch } from '../features/model-editor/search.ts'
import { readModelsSearch } from '../features/models/search.ts'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { definePage } from './define-page.ts'
import { NotFoundPage } from './failure-views.tsx'
import { appRoute, rootRoute } from './root-route.ts'

/** Pages inside the shell. */
export const appPages = [
  createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFoundPage }),
  definePage(appRoute, {
    path: '/',
    access: 'user',
    namespaces: ['home'],
    load: async () => ({ default: (await import('../features/home/home-page.tsx')).HomePage }),
  }),
  definePage(appRoute, {
    path: 'activity',
    access: 'admin',
    needs: 'operations',
    namespaces: ['activity', 'operations'],
    load: async () => ({ default: (await import('../features/activity/activity-page.tsx')).ActivityPage }),
  }),
  definePage(appRoute, {
    path: 'backends',
    access: 'admin',
    needs: 'backend_gallery',
    namespaces: ['backends', 'operations'],
    search: readBackendsSearch,
    load: async () => ({ default: (await import('../features/backends/backends-page.tsx')).BackendsPage }),
  }),
  definePage(appRoute, {
    path: 'models',
    access: 'admin',
    namespaces: ['models', 'operations'],
    search: readModelsSearch,
    load: async () => ({ default: (await import('../features/models/models-page.tsx')).ModelsPage }),
  }),
  definePage(appRoute, {
    path: 'models/new',
    access: 'admin',
    needs: 'model_editor',
    namespaces: ['model-editor'],
    search: readNewModelSearch,
    load: async () => ({ default: (await import('../features/model-editor/new-model-page.tsx')).NewModelPage }),
  }),
  definePage(appRoute, {
    path: 'models/$name',
    access: 'admin',
    needs: 'model_editor',
    namespaces: ['model-editor'],
    search: readEditorSearch,
    load: async () => ({ default: (await import('../features/model-editor/editor-page.tsx')).EditorPage }),
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
    beforeLoad: ({ params, search }) => {
      throw redirect({ to: `/app/${params._splat ?? ''}` as '/app', search, replace: true })
    },
  }),
]
