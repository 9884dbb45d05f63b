import { checkModelAccess } from '@svc/auth/access'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { ModelDirectory } from '../../../catalog/resolve.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { modelNotFound } from '../../../inference/stages/resolve.ts'
import type { McpServers } from '../../../mcp/tool-servers.ts'

/** Parts of the routes. */
export interface McpRouteParts {
  readonly models: Pick<ModelDirectory, 'resolve' | 'findName' | 'findFault'>
  readonly bodies: BodyReader
  /** Gives the servers; the first call loads the protocol. */
  readonly open: () => Promise<Pick<McpServers, 'use' | 'signIns' | 'follow'>>
}

/** @throws {SvcError} `not_found`; `forbidden` for a model that the caller may not use */
export function findModel(call: Call, models: McpRouteParts['models']): ModelConfig {
  const name = call.param('model')
  const model = models.resolve(name)
  if (model === undefined) throw modelNotFound(name, models.findFault(name))
  checkModelAccess(call.principal, model.name, [models.findName(name) ?? name])
  return model
}
