import { SvcError } from '@svc/errors'
import { PATTERN_BACKEND } from '../pii/detector-model.ts'
import { isChain } from './chain.ts'
import type { ModelConfig } from './model-config.ts'

/**
 * Lets only those models serve a request that something stands behind. The others are listed and refused.
 *
 * @throws {SvcError} `model_not_served` (400) with what the model is for, or what of it is not in this version
 */
export function checkServing(model: ModelConfig): void {
  const reason = refusalOf(model)
  if (reason === undefined) return
  throw new SvcError('invalid_request', `model "${model.name}" ${reason}`, {
    code: 'model_not_served',
    details: { param: 'model' },
  })
}

/** Whether requests of this model are served, by what its file says. */
export function servesRequests(model: ModelConfig): boolean {
  return refusalOf(model) === undefined
}

function refusalOf(model: ModelConfig): string | undefined {
  const { backend, mcp, router, pipeline, parameters } = model
  if (backend.toLowerCase() === PATTERN_BACKEND)
    return 'finds private text by patterns: name it as a PII detector, or in /api/pii/analyze and /api/pii/redact'
  if ((router?.candidates?.length ?? 0) > 0) return 'routes requests to others (router), which is not in this version'
  if (isText(mcp?.remote) || isText(mcp?.stdio)) return 'calls MCP servers (mcp), which is not in this version'
  if (backend !== '' || isText(parameters.model) || isChain(model)) return undefined
  if (pipeline !== undefined) return 'is a pipeline of other models (pipeline), which is not in this version'
  return 'names neither a backend nor weights (parameters.model): nothing can serve it'
}

function isText(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== ''
}
