import type { ModelConfig } from './model-config.ts'
import { isPipeline } from './serving.ts'
import { USECASES, type Usecase } from './usecase-names.ts'
import { toWeightsKind, type WeightsKind } from './weights-kind.ts'

/** Whether a model serves a usecase: declared, or guessed from its backend and templates (§2.9). */
export function hasUsecase(config: ModelConfig, usecase: Usecase): boolean {
  if (config.alias !== undefined) return false
  if (config.knownUsecases.includes(usecase)) return true
  return !isClassifier(config) && guesses(config, usecase)
}

/** Scorers and token classifiers serve only their declared usecases. */
function isClassifier({ knownUsecases }: ModelConfig): boolean {
  return knownUsecases.includes('score') || knownUsecases.includes('token_classify')
}

/** Lists all usecases of a model. */
export function listUsecases(config: ModelConfig): Usecase[] {
  return USECASES.filter((usecase) => hasUsecase(config, usecase))
}

const NO_CHAT: ReadonlySet<string> = new Set([
  'whisper',
  'faster-whisper',
  'speech',
  'flite',
  'piper',
  'kokoro',
  'diffusers',
  'stablediffusion',
  'stablediffusion-ggml',
  'rerankers',
  'silero-vad',
  'rfdetr',
  'insightface',
  'speaker-recognition',
  'transformers-musicgen',
  'ace-step',
  'acestep-cpp',
  'local-store',
  'embedded-store',
  'valkey-store',
  'valkey',
])

/** Backends that always serve a usecase. */
const BY_BACKEND: Readonly<Partial<Record<Usecase, readonly string[]>>> = {
  rerank: ['rerankers'],
  tts: ['piper', 'transformers-musicgen', 'kokoro', 'flite'],
  sound_generation: ['transformers-musicgen', 'ace-step', 'acestep-cpp'],
  detection: ['rfdetr', 'sam3-cpp', 'insightface'],
  depth: ['depth-anything'],
  '3d': ['trellis2cpp'],
  face_recognition: ['insightface'],
  speaker_recognition: ['speaker-recognition'],
  audio_transform: ['localvqe'],
  diarization: ['vibevoice-cpp', 'sherpa-onnx'],
  sound_classification: ['ced'],
  realtime_audio: ['liquid-audio'],
  tokenize: ['rwkv'],
  vad: ['silero-vad', 'sherpa-onnx'],
  stores: ['local-store', 'embedded-store', 'valkey-store', 'valkey'],
  image: ['stablediffusion', 'stablediffusion-ggml'],
  video: ['stablediffusion', 'vllm-omni'],
}

/** Usecases that a backend serves for some models, beside those it always serves. */
const FOR_SOME_MODELS: Readonly<Record<string, readonly Usecase[]>> = {
  diffusers: ['image', 'video'],
  whisper: ['transcript', 'vad'],
  'faster-whisper': ['transcript'],
  speech: ['transcript', 'tts', 'vad', 'diarization'],
  'sherpa-onnx': ['transcript', 'tts'],
}
const OF_LANGUAGE_ENGINES: readonly Usecase[] = [
  ...(['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'vision', 'score'] as const),
]

/** Lists the usecases that models of a backend can have. */
export function listBackendUsecases(name: string, { runsLanguage }: { readonly runsLanguage: boolean }): Usecase[] {
  const found = new Set([...(FOR_SOME_MODELS[name] ?? []), ...(runsLanguage ? OF_LANGUAGE_ENGINES : [])])
  return USECASES.filter((usecase) => found.has(usecase) || BY_BACKEND[usecase]?.includes(name) === true)
}

/** Usecases that the settings of a model decide, for any backend. */
const BY_SETTINGS: Readonly<Partial<Record<Usecase, (config: ModelConfig, backend: string) => boolean>>> = {
  chat: guessesChat,
  completion: (config, backend) =>
    !NO_CHAT.has(backend) && (isSet(config.template.completion) || generatesText(config)),
  edit: (config) => isSet(config.template.edit) || generatesText(config),
  embeddings: (config) => config.llm.embeddings === true || isKind(config, 'embedder'),
  rerank: (config) => config.llm.reranking === true || isKind(config, 'ranker'),
  image: drawsPictures,
  video: drawsPictures,
  transcript: (config, backend) =>
    backend === 'faster-whisper' || (backend === 'whisper' && !config.options.includes('vad_only')),
  vad: (config, backend) => backend === 'whisper' && config.options.includes('vad_only'),
  vision: guessesVision,
  tokenize: (config) => config.gguf !== undefined,
  realtime_audio: isPipeline,
}

/** Whether a model would serve a usecase if its file declared none. */
export function guesses(config: ModelConfig, usecase: Usecase): boolean {
  const backend = config.backend.toLowerCase()
  return BY_BACKEND[usecase]?.includes(backend) === true || BY_SETTINGS[usecase]?.(config, backend) === true
}

function drawsPictures(config: ModelConfig, backend: string): boolean {
  return backend === 'diffusers' && isSet(config.diffusers.pipelineType)
}

function guessesChat(config: ModelConfig, backend: string): boolean {
  // A router answers through its candidates, so its own backend does not matter.
  if ((config.router?.candidates?.length ?? 0) > 0) return true
  if (NO_CHAT.has(backend)) return false
  if (config.llm.embeddings === true) return false
  const { chat, chatMessage, useTokenizerTemplate } = config.template
  if (isSet(chat) || isSet(chatMessage)) return true
  return config.gguf?.hasChatTemplate !== false && (useTokenizerTemplate === true || generatesText(config))
}

/**
 * Whether a model generates text and neither its file nor its weights say how a conversation is written: it only
 * continues text.
 */
export function continuesText(config: ModelConfig): boolean {
  const { gguf, template, llm } = config
  if (gguf === undefined || gguf.hasChatTemplate || isClassifier(config)) return false
  if (llm.embeddings === true || llm.reranking === true) return false
  return toWeightsKind(gguf) === 'generator' && !isSet(template.chat) && !isSet(template.chatMessage)
}

function guessesVision(config: ModelConfig): boolean {
  if (config.knownUsecases.includes('vision')) return true
  if (config.knownInputModalities.includes('image') || isSet(config.template.multimodal)) return true
  return isSet(config.llm.mmproj) && !config.knownUsecases.includes('tts')
}

function isKind({ gguf }: ModelConfig, kind: WeightsKind): boolean {
  return gguf !== undefined && toWeightsKind(gguf) === kind
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== ''
}

/**
 * Whether the header of the weights by itself makes a model a language model: the file names no template, so the
 * backend applies the one in the weights.
 */
export function generatesText(config: ModelConfig): boolean {
  const { gguf, template, llm } = config
  if (gguf === undefined || llm.embeddings === true || llm.reranking === true) return false
  if (toWeightsKind(gguf) !== 'generator') return false
  return ![template.chat, template.chatMessage, template.completion, template.edit].some(isSet)
}
