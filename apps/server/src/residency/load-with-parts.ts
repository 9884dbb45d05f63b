import { SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import {
  hasFailover,
  isPipeline,
  isRouter,
  listFailoverTargets,
  listPipelineModels,
  notServed,
  servesRequests,
} from '../catalog/serving.ts'
import { hasUsecase } from '../catalog/usecases.ts'
import type { Residency } from './residency.ts'

/** Models that a load brought into memory. */
export interface LoadReport {
  /** Names of the loaded models, in the order of the pipeline's keys. */
  readonly loaded: readonly string[]
  /** Models that could not be loaded. */
  readonly failures: readonly { readonly name: string; readonly error: SvcError }[]
}

/** Options of {@link loadWithParts}. */
export interface PartLoaderOptions {
  /** Gives the model of a name and follows an alias; undefined when there is none. */
  readonly resolve: (name: string) => ModelConfig | undefined
  readonly residency: Pick<Residency, 'load'>
  readonly signal: AbortSignal
}

/**
 * Lists the models that a realtime pipeline or failover consists of, without duplicates; none of any other model (§2.9).
 * A model that hears and speaks itself is the first of its own pipeline.
 */
export function listParts(model: ModelConfig): readonly string[] {
  if (hasFailover(model)) return listFailoverTargets(model).map(({ name }) => name)
  const named = listPipelineModels(model.pipeline ?? {})
  if (isPipeline(model) || named.length === 0 || !hasUsecase(model, 'realtime_audio')) return named
  return [...new Set([model.name, ...named])]
}

/**
 * Loads a model, or all models of a realtime pipeline in parallel. The report lists failures.
 *
 * @throws {SvcError} `model_not_served` (invalid_request) for a model that no backend serves
 */
export async function loadWithParts(model: ModelConfig, options: PartLoaderOptions): Promise<LoadReport> {
  const parts = listParts(model)
  if (parts.length === 0 && (isRouter(model) || !servesRequests(model))) throw notServed(model)
  if (parts.length === 0) return toReport([await loadOne(model.name, () => model, options)])
  if (hasFailover(model)) return toReport(await loadAll(parts, options))
  const loads = parts.map((name) =>
    name === model.name ? loadOne(name, () => model, options) : loadPart(name, options),
  )
  return toReport((await Promise.all(loads)).flat())
}

interface Outcome {
  readonly name: string
  readonly error?: SvcError
}

const loadAll = (names: readonly string[], options: PartLoaderOptions): Promise<Outcome[]> =>
  Promise.all(names.map((name) => loadOne(name, () => options.resolve(name), options)))

/** Loads a model of a pipeline. One that runs elsewhere, or picks others, has nothing to load. */
async function loadPart(name: string, options: PartLoaderOptions): Promise<readonly Outcome[]> {
  try {
    const model = options.resolve(name)
    if (model === undefined) throw unknownPart(name)
    if (model.disabled) throw disabled(name)
    if (isPipeline(model)) throw nestedPipeline(name)
    if (hasFailover(model)) return await loadAll(listParts(model), options)
    if (LOADS_NOTHING.has(model.serving.kind)) return []
    return [await loadOne(name, () => model, options)]
  } catch (error) {
    return [{ name, error: toSvcError(error) }]
  }
}

/** Models without a backend of their own. */
const LOADS_NOTHING: ReadonlySet<ModelConfig['serving']['kind']> = new Set([
  ...(['router', 'agent', 'relay', 'translation', 'federated'] as const),
])

async function loadOne(
  name: string,
  find: () => ModelConfig | undefined,
  { residency, signal }: PartLoaderOptions,
): Promise<Outcome> {
  try {
    const model = find()
    if (model === undefined) throw unknownPart(name)
    if (model.disabled) throw disabled(name)
    if (isRouter(model) || !servesRequests(model)) throw notServed(model)
    await residency.load(model, { signal })
    return { name: model.name }
  } catch (error) {
    return { name, error: toSvcError(error) }
  }
}

function toReport(outcomes: readonly Outcome[]): LoadReport {
  return {
    loaded: [...new Set(outcomes.filter(({ error }) => error === undefined).map(({ name }) => name))],
    failures: outcomes.flatMap(({ name, error }) => (error === undefined ? [] : [{ name, error }])),
  }
}

function unknownPart(name: string): SvcError {
  return new SvcError('internal', `model "${name}" does not exist`, { code: 'model_not_found' })
}

function nestedPipeline(name: string): SvcError {
  return new SvcError('invalid_request', `model "${name}" is a pipeline itself: a pipeline consists of other models`, {
    code: 'nested_pipeline',
  })
}

function disabled(name: string): SvcError {
  return new SvcError('forbidden', `model "${name}" is disabled`, {
    code: 'model_disabled',
    details: { type: 'model_disabled' },
  })
}
