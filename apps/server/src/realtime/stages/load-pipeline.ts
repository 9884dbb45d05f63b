import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { isRelayed } from '../../catalog/serving.ts'
import { hasUsecase } from '../../catalog/usecases.ts'
import { type LoadReport, loadWithParts } from '../../residency/load-with-parts.ts'
import type { Residency } from '../../residency/residency.ts'
import { type FindModel, findPart, type PartName, type PartNames } from './pipeline-parts.ts'
import { checkRecognition } from './recognize-speaker.ts'

/** Options of {@link loadPipeline}. */
export interface LoadingOptions {
  readonly names: PartNames
  readonly find: FindModel
  readonly residency: Pick<Residency, 'load'>
  readonly signal: AbortSignal
}

/**
 * Checks a pipeline and loads all its models at once, unless its file leaves them to their first use.
 *
 * @throws {SvcError} `model_load_failed` with all failures; the failure itself when there is one
 */
export async function loadPipeline(model: ModelConfig, options: LoadingOptions): Promise<void> {
  const { names, find, residency, signal } = options
  await checkPipeline(model, options)
  if (model.pipeline?.disableWarmup === true) return
  const report = await loadWithParts(withParts(model, names), { resolve: find, residency, signal })
  signal.throwIfAborted()
  const error = toLoadError(report)
  if (error !== undefined) throw error
}

/** The model with the helpers that it uses without naming them. */
function withParts(model: ModelConfig, { vad }: PartNames): ModelConfig {
  return vad === undefined || model.pipeline === undefined ? model : { ...model, pipeline: { ...model.pipeline, vad } }
}

/** Checks that every named model is there, and that the keys have a meaning. @throws {SvcError} naming the key */
async function checkPipeline(model: ModelConfig, { names, find }: LoadingOptions): Promise<void> {
  const faults: SvcError[] = []
  for (const part of Object.keys(names) as PartName[]) {
    try {
      findPart(part, names, { pipeline: model.name, find })
    } catch (error) {
      if (!SvcError.is(error)) throw error
      faults.push(error)
    }
  }
  const error = joinFailures(faults)
  if (error !== undefined) throw error
  const thinker = names.llm === undefined ? undefined : find(names.llm)
  if (thinker !== undefined && isRelayed(thinker)) {
    throw invalid(
      `pipeline.llm: model "${thinker.name}" is forwarded as it comes: set proxy.mode: translate in its file`,
    )
  }
  const { voiceRecognition, classifier } = model.pipeline ?? {}
  if (voiceRecognition !== undefined) {
    if (names.voiceRecognition === undefined) throw invalid('pipeline.voice_recognition.model: is missing')
    await checkRecognition(voiceRecognition, model)
  }
  if (classifier?.enabled === true) checkClassifier(classifier, { names, find })
}

/** Most answers of a list: each is scored at every turn. */
const MAX_OPTIONS = 64

type Classifier = NonNullable<NonNullable<ModelConfig['pipeline']>['classifier']>

function checkClassifier(
  { options = [], fallback, address, normalization }: Classifier,
  { names, find }: Pick<LoadingOptions, 'names' | 'find'>,
): void {
  const key = 'pipeline.classifier'
  if (names.classifier === undefined) throw invalid(`${key}.model: is missing, and so is pipeline.llm`)
  const scorer = find(names.classifier)
  if (scorer?.serving.kind === 'backend' && !hasUsecase(scorer, 'score')) {
    throw invalid(`${key}.model: model "${scorer.name}" scores nothing: add score to known_usecases in its file`)
  }
  if (options.length === 0 || options.length > MAX_OPTIONS) throw invalid(`${key}.options: must be 1 to ${MAX_OPTIONS}`)
  const ids = options.map(({ id = '' }) => id)
  if (ids.some((id) => id.trim() === '')) throw invalid(`${key}.options: an entry has no id`)
  if (new Set(ids).size < ids.length) throw invalid(`${key}.options: two entries have one id`)
  if (options.some(({ tool }) => (tool?.slots ?? []).length > 0)) {
    throw invalid(`${key}.options.*.tool.slots: slots are filled by no model here; give whole arguments`)
  }
  checkWord(`${key}.fallback.mode`, fallback?.mode, ['none', 'reply', 'generate'])
  checkWord(`${key}.address.mode`, address?.mode, ['ignore', 'reply'])
  checkWord(`${key}.normalization`, normalization, ['raw', 'mean'])
  if (fallback?.mode === 'generate' && names.llm === undefined) {
    throw invalid(`${key}.fallback.mode: generate needs pipeline.llm`)
  }
}

function checkWord(key: string, word: string | undefined, words: readonly string[]): void {
  if (word === undefined || word === '' || words.includes(word)) return
  throw invalid(`${key}: must be one of ${words.join(', ')}`)
}

function invalid(message: string): SvcError {
  return new SvcError('internal', message, { code: 'invalid_pipeline' })
}

/** Joins the failures of a load. A single one keeps its kind and code. */
function toLoadError({ failures }: LoadReport): SvcError | undefined {
  return joinFailures(failures.map(({ name, error }) => named(name, error)))
}

function named(name: string, error: SvcError): SvcError {
  if (error.message.includes(`"${name}"`)) return error
  const { kind, code, details, retryAfterMs } = error
  return new SvcError(kind, `model "${name}": ${error.message}`, { code, details, retryAfterMs, cause: error })
}

function joinFailures(failures: readonly SvcError[]): SvcError | undefined {
  if (failures.length <= 1) return failures[0]
  const message = failures.map((error) => error.message).join('; ')
  return new SvcError('internal', message, { code: 'model_load_failed', cause: failures[0] })
}
