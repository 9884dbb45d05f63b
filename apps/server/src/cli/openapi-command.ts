import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_FEATURES } from '../features/all-features.ts'
import { createFeatureSet } from '../features/feature-set.ts'
import { openApiDocument } from '../http/openapi.ts'
import { createClosers } from '../platform/closers.ts'
import { openPlatform, type PlatformOptions } from '../platform/open-platform.ts'
import type { Platform } from '../platform/platform.ts'
import { print } from './terminal.ts'

/**
 * `svc openapi`: prints the OpenAPI document of a server with these flags. It listens nowhere, and its folders are its own:
 * the files of a server stay as they are.
 */
export async function printOpenApiCommand(options: PlatformOptions): Promise<void> {
  const closers = createClosers()
  const features = createFeatureSet({ logger: options.log })
  const folder = await mkdtemp(join(tmpdir(), 'svc-command-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  try {
    const config = {
      ...options.config,
      modelsPath: join(folder, 'models'),
      backendsPath: join(folder, 'backends'),
      dataPath: join(folder, 'data'),
      configDir: join(folder, 'configuration'),
      authDatabaseUrl: undefined,
    }
    const later = { listens: false, routes: features.routes, unready: features.unready, ownPort: () => undefined }
    const platform = await openPlatform({ ...options, config, demoModels: [] }, later, closers)
    closers.push(() => features.close())
    const described = config.distributed ? { ...platform, cluster: await describeCluster(platform, closers) } : platform
    for (const createFeature of ALL_FEATURES) features.add(await createFeature(described))
    const document = await openApiDocument(features.routes(), options.version)
    print(`${JSON.stringify(document, undefined, 2)}\n`)
  } finally {
    await closers.closeAll()
  }
}

/** A cluster whose routes can be described. It has no bus, and no handler is called. */
async function describeCluster(
  { config, database, bus, clock, log: logger }: Platform,
  closers: ReturnType<typeof createClosers>,
): Promise<NonNullable<Platform['cluster']>> {
  const { createNoMessenger } = await import('../cluster/contract/no-messenger.ts')
  const { openClusterNodes } = await import('../cluster/nodes/open-nodes.ts')
  const messenger = { ...createNoMessenger(), renew: async () => undefined }
  const nodes = await openClusterNodes({ config, database, bus, messenger, instanceId: 'none', clock, logger })
  closers.push(() => nodes.close())
  return { instanceId: 'none', messenger, nodeCredentials: undefined, nodes, checksDiskHeadroom: () => true }
}
