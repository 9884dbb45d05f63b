/**
 * The models in the package, so that a fresh start can answer without a download.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'

/** A use of a demo model, in the words of `known_usecases`. */
export type DemoUsecase = 'chat' | 'completion' | 'score' | 'embeddings' | 'rerank' | 'token_classify' | 'tts' | 'vad'

/** A model file of this package and the facts the server needs to offer it. */
export interface DemoModel {
  /** The name clients put in `model`. */
  readonly name: string
  /**
   * Absolute path of the weights: a GGUF file, which carries its own tokenizer and, for chat, its template, or an ONNX
   * graph in the folder `onnx` of a model folder with its tokenizer. For speech: an ONNX graph, or a small JSON file
   * that names a voice of the engine.
   */
  readonly file: string
  /** Backend that runs it, in the words of `backend` of a model file. @default 'llama' */
  readonly backend?: 'onnx' | 'speech'
  /** The first usecase is the main one. */
  readonly usecases: readonly DemoUsecase[]
  /** Longest prompt and answer together, in tokens; absent for models that read no tokens. */
  readonly contextSize?: number
  /** One line for model lists. */
  readonly description: string
  /** Options for the backend, as in the `options` of a model file. */
  readonly options?: readonly string[]
  /** For a detector of private text: the least score of a finding, 0 to 1, as in `pii_detection` of a model file. */
  readonly minScore?: number
}

/** A file one folder below the package, from src as well as from dist. */
const weights = (name: string): string => fileURLToPath(new URL(`../weights/${name}`, import.meta.url))

/**
 * Every demo model, the chat model first.
 *
 * @example
 * const chat = demoModels.find((model) => model.usecases.includes('chat'))
 */
export const demoModels: readonly DemoModel[] = [
  {
    name: 'demo',
    file: weights('demo.gguf'),
    usecases: ['chat', 'completion', 'score'],
    contextSize: 1024,
    description: 'A very small chat model that greets, explains svc and says when it does not know.',
  },
  {
    name: 'demo-embed',
    file: weights('demo-embed.gguf'),
    usecases: ['embeddings', 'rerank'],
    contextSize: 1024,
    description: 'A very small embedding model: texts that share words and topics get near vectors.',
    // it has no rank head: documents are ranked by the cosine of their vectors
    options: ['rerank:cosine'],
  },
  {
    name: 'demo-ner',
    file: weights('demo-ner/onnx/model_int8.onnx'),
    backend: 'onnx',
    usecases: ['token_classify'],
    contextSize: 4104,
    description: 'A very small recogniser of people, places, organisations, addresses and dates in five languages.',
    // a word has one label, that of its surest piece
    options: ['aggregation:max'],
    minScore: 0.4,
  },
  {
    name: 'demo-voice',
    file: weights('demo-voice/voice.json'),
    backend: 'speech',
    usecases: ['tts'],
    description: 'An English voice that needs no download: it is understood, and sounds like a machine.',
  },
  {
    name: 'demo-vad',
    file: weights('demo-vad/silero_vad_v5.onnx'),
    backend: 'speech',
    usecases: ['vad'],
    description: 'Finds the spoken stretches of a recording, in any language.',
  },
]
