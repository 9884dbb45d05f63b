import { StartRefused } from '../../../config/start-refused.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { collectionRoutes } from './routes.ts'

/**
 * Collections of documents that agents search. They are absent without agents.
 *
 * @throws {StartRefused} for an index in PostgreSQL without such a database
 */
export function collectionsFeature(platform: Platform): ServerFeature {
  const { config, collections, database } = platform
  if (config.disableAgents) return {}
  if (config.agentPoolVectorEngine === 'postgres' && database.dialect !== 'postgres') {
    throw new StartRefused(
      'SVC_AGENT_POOL_VECTOR_ENGINE=postgres: the database of this server is not PostgreSQL; --auth-database-url names one',
      { exitCode: 78 },
    )
  }
  return {
    routes: collectionRoutes(platform),
    start: () => collections.resume(),
    drain: () => collections.close(),
  }
}
