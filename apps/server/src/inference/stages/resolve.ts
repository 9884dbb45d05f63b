import type { Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { mayUse } from '../../catalog/model-access.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { notServed, servesRequests } from '../../catalog/serving.ts'
import type { ReadRequest, Stages } from '../core/pipeline.ts'
import type { RequestRoute } from '../core/ports.ts'
import { unparsable } from '../documents/unparsable.ts'
import type { FoundModel } from '../replies/wire-format.ts'

/** Finds models by the names that clients use. */
export interface ModelDirectory {
  /** Gives the model of a name and follows an alias one hop; undefined when there is none. */
  resolve(name: string, options?: { readonly acceptLatest?: boolean | undefined }): ModelConfig | undefined
  /** Gives the name that a client means by a name: that of a model, or an alias. */
  findName(name: string, options?: { readonly acceptLatest?: boolean | undefined }): string | undefined
  /** Gives the model for a usecase when a request names none, and the name that led to it. Only meant models count. */
  findDefault(usecase: string, isMeant: (model: ModelConfig) => boolean): NamedModel | undefined
  /** Gives the fault of the model file of a name, when the fault makes the model unusable. */
  findFault(name: string): string | undefined
}

/** A model, and a name that leads to it: its own, or that of an alias. */
interface NamedModel {
  readonly name: string
  readonly model: ModelConfig
}

/** Creates the refusal of an unknown name. Some formats reword it. */
export function modelNotFound(name: string, fault?: string): SvcError {
  const reason = fault === undefined ? '' : `, as its file cannot be used (${fault})`
  return new SvcError('not_found', `model "${name}" not found${reason}. To see available models, call GET /v1/models`, {
    code: 'model_not_found',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}

/** Reads the model that the body names. */
function readModelName({ document }: ReadRequest): string | undefined {
  const { root } = document.texts()
  for (const key of ['model', 'model_id']) {
    const node = root.get(key)
    if (node === undefined || node.kind === 'null') continue
    if (node.kind !== 'string') throw unparsable(`${key}: must be a string`, key)
    const name = node.text()
    if (name !== '') return name
  }
  return undefined
}

/**
 * Resolves the model that the client named, or the default of the route's usecase. A name in the body takes precedence
 * over one in the address.
 */
export function createResolve(directory: ModelDirectory): Stages['resolve'] {
  return (request) => {
    const { route } = request.context
    const found: FoundModel = request.format.findModel?.(request.document.texts()) ?? findByModelName(request)
    const { name, model, filteredAs } = found
    if (!servesRequests(model)) throw notServed(model)
    const through = found.through ?? (name === model.name ? NO_NAMES : listFurtherNames(name, route, directory))
    return { requestedModel: name, replyModel: name, model, through, filteredAs }
  }

  function findByModelName(request: ReadRequest): NamedModel {
    const { route, principal } = request.context
    const given = readModelName(request) ?? request.addressedModel
    if (given === undefined) return findByUsecase(route, directory, principal)
    return { name: given, model: findNamed(given, route, directory) }
  }
}

const ACCEPT_LATEST = { acceptLatest: true }

const NO_NAMES: readonly string[] = []

/** Lists the alias by which a request names its model. */
function listFurtherNames(name: string, route: RequestRoute, directory: ModelDirectory): readonly string[] {
  const meant = directory.findName(name, readingOptions(route))
  return meant === undefined ? NO_NAMES : [meant]
}

/** Clients of the alternate ecosystem name models with the tag from the list. */
const readingOptions = ({ family }: RequestRoute): typeof ACCEPT_LATEST | undefined =>
  family === 'string' ? ACCEPT_LATEST : undefined

function findNamed(name: string, route: RequestRoute, directory: ModelDirectory): ModelConfig {
  const model = directory.resolve(name, readingOptions(route))
  if (model !== undefined) return model
  throw route.unknownModel === 'invalid_request' ? modelNotConfigured() : modelNotFound(name, directory.findFault(name))
}

/** Creates the refusal of an unknown name for routes that answer it as a mistake in the request (§7.3). */
function modelNotConfigured(): SvcError {
  return new SvcError('invalid_request', 'model configuration not found', {
    code: 'model_not_found',
    details: { param: 'model' },
  })
}

/** Finds a model that the caller may use. The refusal of another one would name a model that lists hide. */
function findByUsecase(
  { usecase = '', modelRequired = false }: RequestRoute,
  directory: ModelDirectory,
  principal: Principal,
): NamedModel {
  const found = modelRequired ? undefined : directory.findDefault(usecase, (each) => mayUse(principal, each))
  if (found !== undefined) return found
  const message = modelRequired ? 'model is required' : `model is required: no model here serves ${usecase}`
  throw new SvcError('invalid_request', message, { code: 'model_required', details: { param: 'model' } })
}
