import { readFile } from 'node:fs/promises'
import type { SchedulingDraft } from '../../../cluster/nodes/scheduling-config.ts'
import type { ServerConfig } from '../../../config/schema.ts'
import { StartRefused } from '../../../config/start-refused.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'

/**
 * The workers of a cluster. They are absent without `--distributed`.
 *
 * @throws {StartRefused} for scheduling rules of the configuration that cannot be read
 */
export async function nodesFeature(platform: Platform): Promise<ServerFeature> {
  const { cluster, config, database, bus, clock, log, operations, bodies, outbound } = platform
  if (cluster === undefined) return {}
  const { openNodes } = await import('../../../cluster/nodes/open-nodes.ts')
  const { nodeRoutes } = await import('./admin-routes.ts')
  const { nodeBackendRoutes } = await import('./backend-routes.ts')
  const { nodeLabelRoutes, nodeLimitRoutes } = await import('./limit-routes.ts')
  const { nodeLogRoutes } = await import('./log-routes.ts')
  const { nodeModelRoutes } = await import('./model-routes.ts')
  const { registerNodeOperations } = await import('./node-operations.ts')
  const { schedulingRoutes } = await import('./scheduling-routes.ts')
  const { workerRoutes } = await import('./worker-routes.ts')
  const nodes = openNodes({
    database,
    bus,
    messenger: cluster.messenger,
    clock,
    logger: log,
    approvesNew: config.autoApproveNodes,
    changeTimeoutMs: config.backendUpgradeTimeoutMs,
    scheduling: await readScheduling(config),
  })
  registerNodeOperations(
    { operations, nodes },
    { installMs: config.backendInstallTimeoutMs, upgradeMs: config.backendUpgradeTimeoutMs },
  )
  const { nodeCredentials } = cluster
  const parts = {
    nodes,
    bodies,
    operations,
    outbound,
    registrationToken: config.registrationToken ?? '',
    mintCredentials:
      nodeCredentials === undefined
        ? undefined
        : ({ id, kind }: { readonly id: string; readonly kind: 'backend' | 'agent' }) =>
            nodeCredentials.mint({ nodeId: id, kind, inbox: 'shared' }, clock.now()),
    isDiskChecked: () => cluster.checksDiskHeadroom(),
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
    close: () => nodes.close(),
  }
}

async function readScheduling(
  config: Pick<ServerConfig, 'modelScheduling' | 'modelSchedulingConfig'>,
): Promise<readonly SchedulingDraft[]> {
  const { parseSchedulingConfig } = await import('../../../cluster/nodes/scheduling-config.ts')
  const { modelScheduling: text = '', modelSchedulingConfig: file = '' } = config
  try {
    const ofFile =
      file === '' ? [] : parseSchedulingConfig(await readFile(file, 'utf8'), `SVC_MODEL_SCHEDULING_CONFIG (${file})`)
    const ofText = text === '' ? [] : parseSchedulingConfig(text, 'SVC_MODEL_SCHEDULING')
    // The last rules of a model win.
    return [...ofFile, ...ofText]
  } catch (cause) {
    throw new StartRefused(cause instanceof Error ? cause.message : String(cause), { exitCode: 78, cause })
  }
}
