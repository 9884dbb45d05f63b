import { readNodeSearch, readNodesSearch, readPlacementSearch } from '../features/nodes/search.ts'
import { definePage, type PageModule } from './define-page.ts'
import { appRoute } from './root-route.ts'

const NODES = { access: 'admin', needs: 'distributed', namespaces: ['nodes', 'operations'] } as const

/** Pages of servers with workers, and the page of servers with peers. */
export const nodePages = [
  definePage(appRoute, {
    path: 'nodes',
    ...NODES,
    search: readNodesSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/nodes/nodes-page.tsx')).NodesPage }),
  }),
  definePage(appRoute, {
    path: 'nodes/node/$id',
    ...NODES,
    search: readNodeSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/nodes/node-page.tsx')).NodePage }),
  }),
  definePage(appRoute, {
    path: 'nodes/placement',
    ...NODES,
    search: readPlacementSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/nodes/placement-page.tsx')).PlacementPage,
    }),
  }),
  definePage(appRoute, {
    path: 'nodes/scheduling',
    ...NODES,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/nodes/scheduling-page.tsx')).SchedulingPage,
    }),
  }),
  definePage(appRoute, {
    path: 'peers',
    access: 'admin',
    needs: 'p2p',
    namespaces: ['nodes'],
    load: async (): Promise<PageModule> => ({ default: (await import('../features/nodes/peers-page.tsx')).PeersPage }),
  }),
]
