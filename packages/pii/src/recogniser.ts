/**
 * A recogniser of names from an ONNX model, run by an engine of the caller: `onnxruntime-node`, `onnxruntime-web` or
 * another with their interface. Needs the optional peer `@huggingface/tokenizers`.
 *
 * @module
 */
import { checkArgument, isTypedArray } from '@svc/errors'
import { type Classifier, classify } from './encoder/classify.ts'
import { AGGREGATIONS, type Aggregation } from './encoder/entities.ts'
import { badModel, modelFailed } from './encoder/errors.ts'
import type { GraphRunner, GraphValue } from './encoder/graph.ts'
import { createBatchMaker } from './encoder/input-batch.ts'
import { readLabelSet } from './encoder/labels.ts'
import { findMaxTokens, type JsonObject, readLabels } from './encoder/model-facts.ts'
import { measureFrame } from './encoder/tokenizer/frame.ts'
import { createTextTokenizer, type TextTokenizer } from './encoder/tokenizer/tokenizer.ts'
import { convertOffsets } from './offsets.ts'
import type { TokenClassifier } from './ports.ts'

/** An input or an output of a session, as ONNX Runtime describes it. */
interface ValueMetadata {
  readonly name: string
  readonly isTensor: boolean
  readonly type?: string
  readonly shape?: readonly (number | string)[]
}

/** A session of ONNX Runtime with a loaded model. */
export interface OnnxSession {
  readonly inputMetadata: readonly ValueMetadata[]
  readonly outputMetadata: readonly ValueMetadata[]
  run(feeds: Readonly<Record<string, object>>, fetches: readonly string[]): Promise<Readonly<Record<string, unknown>>>
}

/** Options of {@link createRecogniser}. */
export interface RecogniserOptions {
  /** A session with the graph of a model that labels tokens. */
  readonly session: OnnxSession
  /** The class of tensors of the same engine. */
  readonly Tensor: new (
    ...parameters: never[]
  ) => object
  /** The content of `config.json`, with the names of labels. */
  readonly config: JsonObject
  /** The content of `tokenizer.json`. */
  readonly tokenizer: JsonObject
  /** The content of `tokenizer_config.json`. @default {} */
  readonly tokenizerConfig?: JsonObject | undefined
  /** How the tokens of a word get one label. @default 'simple', each keeps its own */
  readonly aggregation?: Aggregation | undefined
  /** Most tokens of one run, padding included; a single window may always have the model's full length. @default 1024 */
  readonly batchTokens?: number | undefined
}

const DEFAULT_BATCH_TOKENS = 1024
/** It reads texts of any length, through windows. */
const CONTEXT_SIZE = 1 << 20

/**
 * Creates a recogniser for `createDetector`. Longer texts than the model's input are read through windows that overlap
 * by a quarter. The engine computes on the calling thread; a signal ends a call between two runs.
 *
 * @throws SvcError `bad_model_file`, kind `unprocessable`, for a model that does not label tokens
 * @example
 * const session = await InferenceSession.create('people/onnx/model.onnx')
 * const classifier = createRecogniser({ session, Tensor, config, tokenizer })
 * const detector = createDetector({ name: 'people', settings: { minScore: 0.6 }, classifier })
 */
export function createRecogniser(options: RecogniserOptions): TokenClassifier {
  const classifier = createClassifier(options)
  return {
    groups: [...new Set(classifier.labels.map(({ group }) => group).filter((group) => group !== ''))],
    contextSize: async () => CONTEXT_SIZE,
    async classify(text, { minScore, signal }) {
      const { entities } = await classify(classifier, text, { signal })
      const sure = entities.filter(({ score }) => score >= minScore)
      const edges = convertOffsets(
        text,
        sure.flatMap(({ start, end }) => [start, end]),
        { from: 'utf16', to: 'utf8' },
      )
      return sure.map(({ group, score }, index) => {
        return { group, score, start: edges[2 * index] ?? 0, end: edges[2 * index + 1] ?? 0 }
      })
    },
  }
}

function createClassifier({ session, Tensor, config, tokenizer: file, ...rest }: RecogniserOptions): Classifier {
  const isSession = Array.isArray(session?.inputMetadata) && Array.isArray(session.outputMetadata)
  checkArgument(isSession, 'createRecogniser: session', 'a session of ONNX Runtime', session)
  checkArgument(typeof Tensor === 'function', 'createRecogniser: Tensor', 'the class of tensors', Tensor)
  checkArgument(typeof config === 'object' && config !== null, 'createRecogniser: config', 'an object', config)
  const { tokenizerConfig = {}, aggregation = 'simple', batchTokens = DEFAULT_BATCH_TOKENS } = rest
  const isAggregation = AGGREGATIONS.includes(aggregation)
  checkArgument(isAggregation, 'createRecogniser: aggregation', `one of ${AGGREGATIONS.join(', ')}`, aggregation)
  checkArgument(batchTokens > 0, 'createRecogniser: batchTokens', 'a positive number', batchTokens)
  const graph = toGraph(session, Tensor as unknown as TensorClass)
  const tokenizer = readTokenizer(file, tokenizerConfig)
  const batches = createBatchMaker(graph.shape, tokenizer)
  const output = graph.shape.outputs.find(({ name }) => name === 'logits') ?? graph.shape.outputs[0]
  if (output === undefined || output.kind !== 'float32' || output.shape.length !== 3) {
    throw badModel('the graph does not label tokens: it has no output of float32 with three dimensions')
  }
  const labels = readLabelSet(readLabels({ config, tokenizerConfig }))
  const width = output.shape[2]
  if (typeof width === 'number' && width !== labels.length) {
    throw badModel(`the graph has ${width} labels, config.json names ${labels.length}`)
  }
  const limit = findMaxTokens({ config, tokenizerConfig }, 0)
  const maxTokens = Math.min(limit, batches.fixedLength ?? Number.POSITIVE_INFINITY)
  const room = maxTokens - measureFrame(tokenizer.single)
  if (room < 1) throw badModel(`there is no room for a text in ${maxTokens} tokens`)
  return {
    encoder: { graph, batches, output: output.name, perToken: true, batchTokens: Math.max(batchTokens, maxTokens) },
    tokenizer,
    maxTokens,
    overlap: Math.floor(room / 4),
    labels,
    aggregation,
    wholeWords: true,
  }
}

function readTokenizer(tokenizer: JsonObject, config: JsonObject): TextTokenizer {
  try {
    return createTextTokenizer({ tokenizer, config })
  } catch (error) {
    throw badModel(`tokenizer.json: ${error instanceof Error ? error.message : 'cannot be used'}`, error)
  }
}

type TensorClass = new (kind: string, data: unknown, dims: readonly number[]) => object

/** The part of an output that is read. */
interface Output {
  readonly data: unknown
  readonly dims: readonly number[]
  dispose?(): void
}

function toGraph(session: OnnxSession, Tensor: TensorClass): GraphRunner {
  return {
    shape: { inputs: session.inputMetadata.map(toValue), outputs: session.outputMetadata.map(toValue) },
    async run({ feeds, output: name }, { signal }) {
      signal.throwIfAborted()
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([key, { kind, data, dims }]) => [key, new Tensor(kind, data, dims)]),
      )
      const output = (await session.run(tensors, [name]))[name] as Output | undefined
      const data = output?.data
      if (output === undefined || !isTypedArray(data, 'Float32Array')) throw modelFailed('the model gave no numbers')
      const block = { kind: 'float32' as const, dims: [...output.dims], data: data.slice() }
      output.dispose?.()
      return block
    },
  }
}

function toValue({ name, isTensor, type = '', shape = [] }: ValueMetadata): GraphValue {
  return isTensor ? { name, kind: type, shape } : { name, kind: '', shape: [] }
}
