import { createRoute, redirect } from '@tanstack/react-router'
import { readPiiSearch } from '../features/pii/search.ts'
import { readPlaygroundSearch } from '../features/playground/search.ts'
import { readRouterSearch, readRoutersSearch } from '../features/router/search.ts'
import { readTalkSearch } from '../features/talk/search.ts'
import { definePage, type PageModule } from './define-page.ts'
import { appRoute } from './root-route.ts'

/** Pages that try models and filters, and pages of the middleware. */
export const labPages = [
  definePage(appRoute, {
    path: 'talk',
    access: 'user',
    feature: 'realtime',
    needs: 'realtime',
    namespaces: ['talk'],
    search: readTalkSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/talk/talk-page.tsx')).TalkPage }),
  }),
  definePage(appRoute, {
    path: 'pii',
    access: 'user',
    feature: 'pii_filter',
    needs: 'pii_filter',
    namespaces: ['pii'],
    search: readPiiSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/pii/pii-page.tsx')).PiiPage }),
  }),
  definePage(appRoute, {
    path: 'router',
    access: 'user',
    needs: 'router',
    namespaces: ['router'],
    search: readRoutersSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/router/routers-page.tsx')).RoutersPage,
    }),
  }),
  definePage(appRoute, {
    path: 'router/$name',
    access: 'user',
    needs: 'router',
    namespaces: ['router'],
    search: readRouterSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/router/router-page.tsx')).RouterPage,
    }),
  }),
  definePage(appRoute, {
    path: 'intercept',
    access: 'admin',
    needs: 'interception',
    namespaces: ['intercept'],
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/intercept/intercept-page.tsx')).InterceptPage,
    }),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: 'playground',
    beforeLoad: () => {
      throw redirect({ to: '/app/playground/$kind', params: { kind: 'embeddings' }, replace: true })
    },
  }),
  definePage(appRoute, {
    path: 'playground/$kind',
    access: 'user',
    namespaces: ['playground', 'chat'],
    search: readPlaygroundSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/playground/playground-page.tsx')).PlaygroundPage,
    }),
  }),
]
