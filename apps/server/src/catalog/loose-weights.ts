import type { GgufSummary } from './gguf-summary.ts'
import type { ModelConfig } from './model-config.ts'
import { createBlankModel, GGUF_BACKEND, type ModelFilePlace } from './to-model-config.ts'
import type { Usecase } from './usecase-names.ts'

/** Later parts of a split model: `name-00002-of-00005.gguf`. */
const LATER_PART = /-(?!0*1-of-)\d{5}-of-\d{5}\.gguf$/i
const NOT_MODELS: ReadonlySet<string> = new Set(['adapter', 'mmproj', 'imatrix', 'vocab'])

/** Whether a GGUF file is a model by itself: no projector, adapter, later part of a split model or file of another engine. */
export function isStandalone(file: string, summary: GgufSummary): boolean {
  if (LATER_PART.test(file) || summary.tensorCount === 0) return false
  if (summary.architecture === 'clip' || summary.architecture === '') return false
  return !NOT_MODELS.has(summary.type ?? 'model')
}

/** Creates the model of a GGUF file without a YAML file: its id is its file name. */
export function createLooseModel(place: ModelFilePlace, summary: GgufSummary): ModelConfig {
  return {
    ...createBlankModel({ name: place.file, source: 'file', place }),
    backend: GGUF_BACKEND,
    serving: { kind: 'backend' },
    parameters: { model: place.file },
    gguf: summary,
  }
}

/** A model that comes with the product. */
export interface DemoModelSource {
  readonly name: string
  /** Absolute path of its weights: a GGUF file, or the graph of another backend. */
  readonly file: string
  /** @default the backend of GGUF files */
  readonly backend?: string | undefined
  /** The first is the one that it is there for: a model of the folder that serves it takes its place in lists. */
  readonly usecases: readonly Usecase[]
  /** Tokens. @default that of the server */
  readonly contextSize?: number | undefined
  readonly description?: string | undefined
  readonly options?: readonly string[] | undefined
  /** The least score of a finding, for a detector. */
  readonly minScore?: number | undefined
}

/**
 * Creates the model of a demo source; its folder is that of its own file. `summary` describes GGUF weights. A detector
 * masks what it finds.
 */
export function createDemoModel(
  source: DemoModelSource,
  from: { readonly place: ModelFilePlace; readonly summary: GgufSummary | undefined },
): ModelConfig {
  return {
    ...createBlankModel({ name: source.name, source: 'demo', place: from.place }),
    description: source.description,
    backend: source.backend ?? GGUF_BACKEND,
    serving: { kind: 'backend' },
    knownUsecases: source.usecases,
    contextSize: source.contextSize,
    options: source.options ?? [],
    parameters: { model: from.place.file },
    llm: source.usecases.includes('embeddings') && !source.usecases.includes('chat') ? { embeddings: true } : {},
    gguf: from.summary,
    piiDetection: source.minScore === undefined ? undefined : { minScore: source.minScore },
  }
}
