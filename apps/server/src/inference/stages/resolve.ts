import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { notServed, servesRequests } from '../../catalog/serving.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import { unparsable } from './body.ts'

/** Finds models by the names clients use. */
export interface ModelDirectory {
  /** The model of a name, an alias followed one hop; undefined when there is none. */
  resolve(name: string, options?: { readonly acceptLatest?: boolean | undefined }): ModelConfig | undefined
  /** The model for a usecase when a request names none: the first by name. */
  defaultFor(usecase: string): ModelConfig | undefined
  /** What is wrong with the model file of a name that gives no model. */
  faultOf(name: string): string | undefined
}

/** The refusal of a name that no model has; routes of other families reword it in their own way. */
export function modelNotFound(name: string, fault?: string): SvcError {
  const reason = fault === undefined ? '' : `, as its file cannot be used (${fault})`
  return new SvcError('not_found', `model "${name}" not found${reason}. To see available models, call GET /v1/models`, {
    code: 'model_not_found',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}

/** The model the body names. */
function nameInBody(exchange: Exchange): string | undefined {
  for (const key of ['model', 'model_id']) {
    const node = exchange.document.root.get(key)
    if (node === undefined || node.kind === 'null') continue
    if (node.kind !== 'string') throw unparsable(`${key}: must be a string`, key)
    const name = node.text()
    if (name !== '') return name
  }
  return undefined
}

/** The body's word counts before the path's, and that before the query's. */
function nameIn(exchange: Exchange): string | undefined {
  const { call } = exchange
  return nameInBody(exchange) || call.param('model') || call.query('model') || undefined
}

/** Resolves the model the client named, or the default of the route's usecase. */
export function resolveStage(directory: ModelDirectory): Stage {
  return (exchange) => {
    const name = nameIn(exchange)
    const model =
      name === undefined
        ? defaultModel(exchange, directory)
        : (directory.resolve(name, resolveOptions(exchange)) ??
          refuseName(name, { exchange, fault: directory.faultOf(name) }))
    if (!servesRequests(model)) throw notServed(model)
    exchange.requestedModel = name ?? model.name
    exchange.model = model
    return undefined
  }
}

const ACCEPT_LATEST = { acceptLatest: true }

/** Clients of the alternate ecosystem name models with the tag under which they were listed. */
function resolveOptions({ call }: Exchange): typeof ACCEPT_LATEST | undefined {
  return call.row.family === 'string' ? ACCEPT_LATEST : undefined
}

function refuseName(
  name: string,
  { exchange, fault }: { readonly exchange: Exchange; readonly fault: string | undefined },
): never {
  throw exchange.call.row.unknownModel === 'invalid_request' ? modelNotConfigured() : modelNotFound(name, fault)
}

/** The same refusal on routes where it is a mistake in the request (§7.3). */
function modelNotConfigured(): SvcError {
  return new SvcError('invalid_request', 'model configuration not found', {
    code: 'model_not_found',
    details: { param: 'model' },
  })
}

function defaultModel({ call }: Exchange, directory: ModelDirectory): ModelConfig {
  const { usecase = '', modelRequired = false } = call.row
  const model = modelRequired ? undefined : directory.defaultFor(usecase)
  if (model !== undefined) return model
  const message = modelRequired ? 'model is required' : `model is required: no model here serves ${usecase}`
  throw new SvcError('invalid_request', message, { code: 'model_required', details: { param: 'model' } })
}
