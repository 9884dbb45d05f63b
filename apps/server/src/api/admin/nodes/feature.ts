import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'

/** The workers of a cluster. They are absent without `--distributed`. */
export async function nodesFeature(platform: Platform): Promise<ServerFeature> {
  const { cluster, config, clock, log, metrics, operations, bodies, outbound, settings, models } = platform
  if (cluster === undefined) return {}
  const { createNodeFigures } = await import('../../../cluster/nodes/node-figures.ts')
  const { nodeRoutes } = await import('./admin-routes.ts')
  const { nodeBackendRoutes } = await import('./backend-routes.ts')
  const { nodeLabelRoutes, nodeLimitRoutes } = await import('./limit-routes.ts')
  const { nodeLogRoutes } = await import('./log-routes.ts')
  const { nodeModelRoutes } = await import('./model-routes.ts')
  const { registerNodeOperations } = await import('./node-operations.ts')
  const { schedulingRoutes } = await import('./scheduling-routes.ts')
  const { createTakeoverNotes } = await import('./takeover-notes.ts')
  const { workerRoutes } = await import('./worker-routes.ts')
  const { nodes, nodeCredentials } = cluster
  metrics.server.showLabelled(createNodeFigures({ nodes, clock, logger: log }))
  registerNodeOperations(
    { operations, nodes },
    { installMs: config.backendInstallTimeoutMs, upgradeMs: config.backendUpgradeTimeoutMs },
  )
  const parts = {
    nodes,
    bodies,
    operations,
    outbound,
    clock,
    backendGalleries() {
      const galleries = settings.get('backend_galleries')
      return galleries.length === 0 ? undefined : JSON.stringify(galleries)
    },
    registrationToken: config.registrationToken ?? '',
    mintCredentials:
      nodeCredentials === undefined
        ? undefined
        : ({ id, kind }: { readonly id: string; readonly kind: 'backend' | 'agent' }) =>
            nodeCredentials.mint({ nodeId: id, kind, inbox: 'shared' }, clock.now()),
    noteTakeover: createTakeoverNotes({ changes: platform.changes, clock, logger: log }),
    isDiskChecked: () => cluster.checksDiskHeadroom(),
    isShared: config.distributedSharedModels,
    groupsOf: (model: string) => models.find(model)?.concurrencyGroups ?? [],
  }
  return {
    // Fixed names come before those of nodes.
    routes: [
      ...workerRoutes(parts),
      ...schedulingRoutes(parts),
      ...nodeRoutes(parts),
      ...nodeLabelRoutes(parts),
      ...nodeLimitRoutes(parts),
      ...nodeBackendRoutes(parts),
      ...nodeModelRoutes(parts),
      ...nodeLogRoutes(parts),
    ],
    start: () => nodes.start(),
  }
}
