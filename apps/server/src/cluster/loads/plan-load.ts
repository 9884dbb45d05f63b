import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { BackendCatalog } from '../../backends/catalog.ts'
import { toPublicReason } from '../../backends/log-text.ts'
import { describeWeights } from '../../catalog/attach-weights.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { GGUF_BACKEND } from '../../catalog/to-model-config.ts'
import { hasGgufWeights, namesNoBackend } from '../../residency/load-model.ts'
import type { ModelNeeds } from '../decisions/placement-types.ts'

/** A model takes this much more than its files. */
const MEMORY_SHARE = 1.1

/** The name of the same engine at workers of other systems. */
const OTHER_GGUF_BACKEND = 'llama-cpp'

/** What a load needs to know of its model. */
export interface LoadPlan {
  readonly request: PartialMessage<ModelOptions>
  /** Names of backends to try, in this order; at least one. */
  readonly backends: readonly string[]
  readonly needs: ModelNeeds
}

/** Parts of {@link planLoad}. */
export interface PlanLoadParts {
  /** @throws when the configuration is not usable */
  readonly toLoadRequest: (model: ModelConfig) => PartialMessage<ModelOptions>
  /** @throws {SvcError} for a model whose files no backend may read */
  readonly checkFiles: (model: ModelConfig) => Promise<void>
  /** Bytes of the files that a load request names. */
  readonly measureFiles: (request: PartialMessage<ModelOptions>, signal: AbortSignal) => Promise<number>
  readonly catalog: Pick<BackendCatalog, 'candidates'>
}

/** Plans a load on a worker. @throws {SvcError} `model_load_failed` (internal); the signal's reason */
export async function planLoad(model: ModelConfig, parts: PlanLoadParts, signal: AbortSignal): Promise<LoadPlan> {
  if (model.weightsMissing === true) throw loadFailed(model.name, describeWeights(model) ?? 'its weights are missing')
  try {
    const fault = describeWeights(model)
    if (fault !== undefined) throw new SvcError('internal', fault)
    await parts.checkFiles(model)
    const request = parts.toLoadRequest(model)
    return {
      request,
      backends: listBackends(model, parts.catalog),
      needs: toNeeds(model, await parts.measureFiles(request, signal)),
    }
  } catch (error) {
    signal.throwIfAborted()
    throw loadFailed(model.name, SvcError.is(error) ? error.message : 'its configuration is not usable', error)
  }
}

/** The figures of a model whose files take that many bytes; 0: not known. */
export function toNeeds({ name, concurrencyGroups }: ModelConfig, sizeBytes: number): ModelNeeds {
  const isKnown = sizeBytes > 0
  return {
    model: name,
    sizeBytes: isKnown ? sizeBytes : undefined,
    memoryBytes: isKnown ? Math.ceil(sizeBytes * MEMORY_SHARE) : undefined,
    concurrencyGroups,
  }
}

/** Names of backends for a worker, which may have others than this server. */
function listBackends(model: ModelConfig, catalog: Pick<BackendCatalog, 'candidates'>): readonly string[] {
  if (!namesNoBackend(model)) return [model.backend]
  const isGguf = hasGgufWeights(model)
  const names = catalog.candidates({ isGguf }).map(({ name }) => name)
  const all = new Set(isGguf ? [...names, GGUF_BACKEND, OTHER_GGUF_BACKEND] : names)
  if (all.size === 0) throw new SvcError('internal', 'it names no backend')
  return [...all]
}

/** The error of a model that could not be loaded. */
export function loadFailed(model: string, reason: string, cause?: unknown): SvcError {
  return new SvcError('internal', `could not load model "${model}": ${toPublicReason(reason)}`, {
    code: 'model_load_failed',
    cause,
  })
}
