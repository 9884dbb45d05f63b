import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../models/model-config.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import { unparsable } from './body.ts'

/** Finds models by the names clients use. */
export interface ModelDirectory {
  /** The model of a name, an alias followed one hop; undefined when there is none. */
  resolve(name: string): Promise<ModelConfig | undefined>
  /** The model for a usecase when a request names none: the first by name. */
  defaultFor(usecase: string): ModelConfig | undefined
}

/** The refusal of a name that no model has; routes of other families reword it in their own way. */
export function modelNotFound(name: string): SvcError {
  return new SvcError('not_found', `model "${name}" not found. To see available models, call GET /v1/models`, {
    code: 'model_not_found',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}

function nameIn(exchange: Exchange): string | undefined {
  const node = exchange.document.root.get('model')
  if (node === undefined || node.kind === 'null') return undefined
  if (node.kind !== 'string') throw unparsable('model: must be a string', 'model')
  const name = node.text()
  return name === '' ? undefined : name
}

/** Resolves the model the client named, or the default of the route's usecase. */
export function aliasStage(directory: ModelDirectory): Stage {
  return async (exchange, next) => {
    const { usecase = '' } = exchange.call.row
    const name = nameIn(exchange)
    const model = name === undefined ? directory.defaultFor(usecase) : await directory.resolve(name)
    if (model === undefined) {
      if (name !== undefined) throw modelNotFound(name)
      throw new SvcError('invalid_request', `model is required: no model here serves ${usecase}`, {
        code: 'model_required',
        details: { param: 'model' },
      })
    }
    exchange.requestedModel = name ?? model.name
    exchange.model = model
    await next()
  }
}
