import { SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { hasFailover, isRouter, listFailoverTargets, notServed, servesRequests } from '../catalog/serving.ts'
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

/** Lists the models that a realtime pipeline or failover consists of, without duplicates; none of any other model (§2.9). */
export function listParts(model: ModelConfig): readonly string[] {
  if (hasFailover(model)) return listFailoverTargets(model).map(({ name }) => name)
  const { vad, transcription, llm, tts, soundDetection, voiceRecognition } = model.pipeline ?? {}
  const names = [vad, transcription, llm, tts, soundDetection, voiceRecognition?.model]
  return [...new Set(names.filter((name) => name !== undefined).filter((name) => name !== ''))]
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
  return toReport(await Promise.all(parts.map((name) => loadOne(name, () => options.resolve(name), options))))
}

interface Outcome {
  readonly name: string
  readonly error?: SvcError
}

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

function disabled(name: string): SvcError {
  return new SvcError('forbidden', `model "${name}" is disabled`, {
    code: 'model_disabled',
    details: { type: 'model_disabled' },
  })
}
