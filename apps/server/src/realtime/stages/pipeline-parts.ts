import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { isPipeline } from '../../catalog/serving.ts'
import { hasUsecase } from '../../catalog/usecases.ts'

/** The stages of a pipeline that have a model. */
export type PartName =
  | 'vad'
  | 'transcription'
  | 'llm'
  | 'tts'
  | 'soundDetection'
  | 'voiceRecognition'
  | 'classifier'
  | 'summary'
  | 'conversation'

/** The models of a pipeline by their stage, as its file names them. */
export type PartNames = Readonly<Partial<Record<PartName, string>>>

/** Key of the file that names the model of a stage. */
const KEYS: Readonly<Record<PartName, string>> = {
  vad: 'pipeline.vad',
  transcription: 'pipeline.transcription',
  llm: 'pipeline.llm',
  tts: 'pipeline.tts',
  soundDetection: 'pipeline.sound_detection',
  voiceRecognition: 'pipeline.voice_recognition.model',
  classifier: 'pipeline.classifier.model',
  summary: 'pipeline.compaction.summary_model',
  conversation: 'pipeline.llm',
}

/** Finds models by name, with their targets and defaults. */
export type FindModel = (name: string) => ModelConfig | undefined

/** Whether a model hears and speaks by itself. */
export function isAnyToAny(model: ModelConfig): boolean {
  return !isPipeline(model) && hasUsecase(model, 'realtime_audio')
}

/**
 * Names the model of each stage. A model that hears and speaks is a pipeline by itself: it also detects speech where it
 * can, and its file may name helpers.
 */
export function namePipelineParts(model: ModelConfig, find: FindModel): PartNames {
  const { vad, transcription, llm, tts, soundDetection, voiceRecognition, classifier, compaction } =
    model.pipeline ?? {}
  const speaker = filled(llm) === undefined ? model : find(llm ?? '')
  const converses = isAnyToAny(model) ? model : speaker !== undefined && isAnyToAny(speaker) ? speaker : undefined
  const isWhole = converses !== undefined && filled(tts) === undefined
  return dropEmpty({
    vad: filled(vad) ?? (converses !== undefined && hasUsecase(converses, 'vad') ? converses.name : undefined),
    transcription: filled(transcription),
    llm: isWhole ? undefined : filled(llm),
    tts: filled(tts),
    soundDetection: filled(soundDetection),
    voiceRecognition: filled(voiceRecognition?.model),
    classifier: classifier?.enabled === true ? (filled(classifier.model) ?? filled(llm)) : undefined,
    summary: compaction?.enabled === true ? (filled(compaction.summaryModel) ?? filled(llm)) : undefined,
    conversation: isWhole ? converses.name : undefined,
  })
}

function filled(name: string | undefined): string | undefined {
  return name === undefined || name.trim() === '' ? undefined : name
}

function dropEmpty(names: Readonly<Record<PartName, string | undefined>>): PartNames {
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined))
}

/** Gives the model of a stage. @throws {SvcError} naming the key when there is none, or it is a pipeline itself */
export function findPart(
  part: PartName,
  names: PartNames,
  { pipeline, find }: { readonly pipeline: string; readonly find: FindModel },
): ModelConfig {
  const name = names[part]
  const key = KEYS[part]
  if (name === undefined) {
    throw new SvcError('invalid_request', `pipeline "${pipeline}" names no model for this stage (${key})`, {
      code: 'stage_missing',
    })
  }
  const model = find(name)
  if (model === undefined) {
    throw new SvcError('internal', `${key}: model "${name}" does not exist`, { code: 'model_not_found' })
  }
  if (!isPipeline(model)) return model
  throw new SvcError('internal', `${key}: model "${name}" is a pipeline itself; a pipeline consists of other models`, {
    code: 'nested_pipeline',
  })
}
