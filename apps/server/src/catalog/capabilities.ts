import type { ModelConfig } from './model-config.ts'
import { isPipeline, listFailoverTargets, livesElsewhere } from './serving.ts'
import { USECASES, type Usecase } from './usecase-names.ts'
import { hasUsecase, listUsecases } from './usecases.ts'

/** An input or output of models. */
export type Modality = (typeof MODALITIES)[number]

const MODALITIES = ['text', 'image', 'audio', 'video', '3d'] as const

/** Usecases that lists of capabilities omit, because they are parts of others. */
const NOT_LISTED: ReadonlySet<Usecase> = new Set(['tokenize', 'score', 'token_classify', 'decisions', 'stores'])

const INPUTS: Readonly<Partial<Record<Modality, readonly Usecase[]>>> = {
  text: ['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'image', 'video', 'tts', 'sound_generation'],
  image: ['3d', 'depth', 'detection', 'face_recognition'],
  audio: [
    ...(['transcript', 'vad', 'diarization', 'sound_classification', 'speaker_recognition'] as const),
    ...(['audio_transform', 'realtime_audio'] as const),
  ],
}

const OUTPUTS: Readonly<Partial<Record<Modality, readonly Usecase[]>>> = {
  text: ['chat', 'completion', 'edit', 'transcript'],
  image: ['image'],
  audio: ['tts', 'sound_generation', 'audio_transform', 'realtime_audio'],
  video: ['video'],
  '3d': ['3d'],
}

/** Usecases whose text the PII filter can read. */
const FILTERED: readonly Usecase[] = ['chat', 'completion', 'edit', 'embeddings']

/** Lists the capabilities of a model for interfaces: usecases in order, then `tools` and `thinking` of a chat model. */
export function listCapabilities(model: ModelConfig): string[] {
  const isChat = hasUsecase(model, 'chat')
  const listed: string[] = USECASES.filter(
    (usecase) => !NOT_LISTED.has(usecase) && (usecase !== 'vision' || isChat) && hasUsecase(model, usecase),
  )
  if (isChat && findsTools(model)) listed.push('tools')
  if (isChat && thinks(model)) listed.push('thinking')
  return listed
}

/** Lists the inputs of a model, `text` first. */
export function listInputModalities(model: ModelConfig): Modality[] {
  const { limitMmPerPrompt = {} } = model.vllm
  const limits: Readonly<Partial<Record<Modality, number | undefined>>> = limitMmPerPrompt
  const seesPictures = hasUsecase(model, 'vision') && hasUsecase(model, 'chat')
  const inputs = selectModalities(model, INPUTS)
  return MODALITIES.filter(
    (modality) =>
      inputs.has(modality) ||
      (limits[modality] ?? 0) > 0 ||
      (modality === 'image' && seesPictures) ||
      model.knownInputModalities.includes(modality),
  )
}

/** Lists the outputs of a model, `text` first. */
export function listOutputModalities(model: ModelConfig): Modality[] {
  const outputs = selectModalities(model, OUTPUTS)
  return MODALITIES.filter((modality) => outputs.has(modality) || model.knownOutputModalities.includes(modality))
}

/** Whether requests to a model can be filtered for personal data (§2.10). */
export function isPiiCovered(model: ModelConfig): boolean {
  if (listFailoverTargets(model).some((target) => isPiiCovered(target.model))) return true
  return livesElsewhere(model) || isPipeline(model) || FILTERED.some((usecase) => hasUsecase(model, usecase))
}

/** Whether requests to a model, or to one of its failover targets, are filtered. */
export function isPiiEnabled(model: ModelConfig): boolean {
  return listFailoverTargets(model).some((target) => isPiiEnabled(target.model)) || isOwnPiiEnabled(model)
}

/**
 * Whether a model's own file has its requests filtered: as it says, else requests to a provider or a peer are. The turns of a
 * pipeline need a key of their own.
 */
export function isOwnPiiEnabled(model: ModelConfig): boolean {
  if (isPipeline(model)) return areTurnsScanned(model)
  return model.pii.enabled ?? livesElsewhere(model)
}

/** Whether turns of spoken conversations with a model are filtered: its file asks for it, and does not switch it off. */
export function areTurnsScanned({ pii }: ModelConfig): boolean {
  return pii.scanRealtime === true && pii.enabled !== false
}

function selectModalities(
  model: ModelConfig,
  table: Readonly<Partial<Record<Modality, readonly Usecase[]>>>,
): ReadonlySet<Modality> {
  const usecases = new Set(listUsecases(model))
  return new Set(MODALITIES.filter((modality) => table[modality]?.some((usecase) => usecases.has(usecase))))
}

/** Whether a file describes the calls in replies. */
function findsTools({ function: settings }: ModelConfig): boolean {
  const { jsonRegexMatch = [], responseRegex = [], xmlFormatPreset = '', xmlFormat, grammar } = settings
  return (
    jsonRegexMatch.length > 0 ||
    responseRegex.length > 0 ||
    xmlFormatPreset !== '' ||
    xmlFormat !== undefined ||
    (grammar?.triggers ?? []).length > 0 ||
    (grammar?.schemaType ?? '') !== ''
  )
}

/** Whether a file says that its model thinks, and does not forbid it. */
function thinks({ reasoning }: ModelConfig): boolean {
  if (reasoning.disable !== undefined) return !reasoning.disable
  return (reasoning.thinkingStartTokens ?? []).length > 0 || (reasoning.tagPairs ?? []).length > 0
}
