import { stat } from 'node:fs/promises'
import path from 'node:path'
import { createCallSignals, type Embedded, type Ranked, type RankRequest } from '@svc/backend-kit'
import {
  type Classified,
  type Classifier,
  classify,
  createBatchMaker,
  createTextTokenizer,
  type Encoder,
  findMaxTokens,
  frameRow,
  measureFrame,
  readLabelSet,
  readLabels,
  runRows,
  type TextTokenizer,
} from '@svc/pii/encoder'
import { badModel, invalidRequest, notSupported, OnnxError } from '../errors.ts'
import { type Embedder, type EmbedInput, type EmbedOptions, embed } from './embed.ts'
import { type Graph, openGraph } from './graph.ts'
import { findTask, readPooling } from './model-facts.ts'
import { findModelFolder, type ModelTexts, readModelTexts } from './model-files.ts'
import { type Ranker, rankByCosine, rankByHead } from './rank.ts'
import type { ModelSettings, Task } from './settings.ts'

/** The task of a loaded model, with its parts. */
export type Head =
  | { readonly task: 'classify'; readonly classifier: Classifier }
  | { readonly task: 'embed'; readonly embedder: Embedder }
  | { readonly task: 'rank'; readonly ranker: Ranker }

interface CallOptions {
  readonly signal: AbortSignal
}

/** A loaded model. Closing it ends running calls with `unavailable`. */
export interface EngineModel {
  readonly settings: ModelSettings
  readonly head: Head
  readonly tokenizer: TextTokenizer
  readonly maxTokens: number
  /** Floats of one vector; 0 for a model without vectors. */
  readonly dimension: number
  /** Bytes of the file of the graph. */
  readonly weightBytes: number
  /** Number of current runs. */
  readonly busy: number
  /** Whether the engine crashed: the model answers no more. */
  readonly isLost: boolean
  /** Highest observed memory of the engine, in bytes. */
  readonly memoryBytes: number
  /** Basis of ranking. */
  readonly ranking: 'none' | 'head' | 'cosine'
  classify(text: string, options: CallOptions): Promise<Classified>
  embed(input: EmbedInput, options: EmbedOptions): Promise<Embedded>
  rank(request: RankRequest, options: CallOptions): Promise<Ranked>
  close(): Promise<void>
}

const OUTPUTS: Readonly<Record<Task, readonly string[]>> = {
  classify: ['logits'],
  rank: ['logits'],
  embed: ['sentence_embedding', 'last_hidden_state', 'token_embeddings'],
}
/** Labels that confirm that a pair belongs together. */
const POSITIVE = /^(relevant|yes|true|positive|entailment|label_1)$/i

/** Loads a model folder and runs it once. @throws OnnxError `unprocessable` in words that name no folder */
export async function loadModel(settings: ModelSettings, { signal }: CallOptions): Promise<EngineModel> {
  const { folder, graphFile } = await findModelFolder(settings.path, settings.weights)
  const texts = await readModelTexts(folder)
  const tokenizer = readTokenizer(texts)
  const { threads, parallel, maxWaiting } = settings
  const weightBytes = (await stat(graphFile)).size
  const graph = await openGraph({ file: graphFile, threads, parallel, maxWaiting, signal }).catch((error: unknown) => {
    throw describeGraphFault(error, graphFile)
  })
  try {
    const head = createHead({ graph, tokenizer, texts, settings })
    const width = await probe(findEncoder(head), tokenizer, signal)
    checkWidth(head, width, texts)
    return createModel({ settings, head, graph, tokenizer, weightBytes, width })
  } catch (error) {
    await graph.close()
    throw error
  }
}

interface Parts {
  readonly settings: ModelSettings
  readonly head: Head
  readonly graph: Graph
  readonly tokenizer: TextTokenizer
  readonly weightBytes: number
  /** Numbers of the output for each token, or for each text. */
  readonly width: number
}

function createModel({ settings, head, graph, tokenizer, weightBytes, width }: Parts): EngineModel {
  const calls = createCallSignals()
  const ranking = head.task === 'rank' ? 'head' : head.task === 'embed' && settings.rankByCosine ? 'cosine' : 'none'
  return {
    settings,
    head,
    tokenizer,
    maxTokens: readMaxTokens(head),
    dimension: head.task === 'embed' ? width : 0,
    weightBytes,
    ranking,
    get busy() {
      return graph.busy
    },
    get isLost() {
      return graph.isLost
    },
    get memoryBytes() {
      return graph.memoryBytes
    },
    classify: (text, options) => {
      if (head.task !== 'classify') throw notSupported('this model does not label tokens')
      return calls.during(options.signal, (call) => classify(head.classifier, text, call))
    },
    embed: (input, options) => {
      if (head.task !== 'embed') throw notSupported('this model does not embed')
      return calls.during(options.signal, async (call) => {
        const [embedded] = await embed(head.embedder, [input], { ...call, truncates: options.truncates })
        if (embedded === undefined) throw new OnnxError('internal', 'the model gave no vector')
        return embedded
      })
    },
    rank: (request, options) => {
      if (head.task === 'rank') return calls.during(options.signal, (call) => rankByHead(head.ranker, request, call))
      if (ranking === 'none' || head.task !== 'embed') {
        throw notSupported(
          'this model has no head that ranks; with the option rerank:cosine an embedding model ranks by its vectors',
        )
      }
      return calls.during(options.signal, (call) => rankByCosine(head.embedder, request, call))
    },
    close: async () => {
      calls.close()
      await graph.close()
    },
  }
}

interface HeadParts {
  readonly graph: Graph
  readonly tokenizer: TextTokenizer
  readonly texts: ModelTexts
  readonly settings: ModelSettings
}

function createHead({ graph, tokenizer, texts, settings }: HeadParts): Head {
  const task = settings.task ?? findTask(texts, graph.shape)
  const batches = createBatchMaker(graph.shape, tokenizer)
  const output = findOutput(graph, task)
  const maxTokens = Math.min(findMaxTokens(texts, settings.maxTokens), batches.fixedLength ?? Number.POSITIVE_INFINITY)
  const perToken =
    task === 'classify' || (task === 'embed' && output.name !== 'sentence_embedding' && output.rank !== 2)
  const encoder: Encoder = {
    graph,
    batches,
    output: output.name,
    perToken,
    batchTokens: Math.max(settings.batchTokens, maxTokens),
  }
  const frame = task === 'rank' ? tokenizer.pair : tokenizer.single
  if (frame === undefined) throw badModel('tokenizer.json: there is no form for two texts')
  if (maxTokens <= measureFrame(frame)) throw badModel(`there is no room for a text in ${maxTokens} tokens`)
  const { truncates } = settings
  switch (task) {
    case 'classify': {
      const { aggregation, wholeWords } = settings
      const overlap = settings.overlap ?? Math.floor((maxTokens - measureFrame(frame)) / 4)
      const labels = readLabelSet(readLabels(texts))
      return { task, classifier: { encoder, tokenizer, maxTokens, overlap, labels, aggregation, wholeWords } }
    }
    case 'embed': {
      if (texts.modules.includes('Dense') && perToken) {
        throw badModel('modules.json: the model ends in a dense layer, which its graph does not have')
      }
      const pooling = settings.pooling ?? readPooling(texts) ?? 'mean'
      return { task, embedder: { encoder, tokenizer, maxTokens, truncates, pooling, norm: settings.embeddingNorm } }
    }
    case 'rank':
      return {
        task,
        ranker: { encoder, tokenizer, frame, maxTokens, truncates, label: findRankLabel(texts, settings) },
      }
  }
}

function findOutput({ shape }: Graph, task: Task): { readonly name: string; readonly rank: number } {
  const named = OUTPUTS[task].flatMap((name) => shape.outputs.find((output) => output.name === name) ?? [])[0]
  const output = named ?? shape.outputs[0]
  if (output === undefined || output.kind !== 'float32') {
    throw badModel(`the graph gives ${output?.kind ?? 'nothing'}, only float32 is read`)
  }
  return { name: output.name, rank: output.shape.length }
}

/** The label to score by; undefined for a head with one number. */
function findRankLabel(texts: ModelTexts, { rankLabel }: ModelSettings): number | undefined {
  const labels = typeof texts.config.id2label === 'object' ? readLabels(texts) : ['score']
  if (rankLabel !== undefined) {
    const index = labels.findIndex((label) => label.toLowerCase() === rankLabel.toLowerCase())
    if (index < 0) throw invalidRequest(`option rerank_label must be one of ${labels.join(', ')}`)
    return labels.length === 1 ? undefined : index
  }
  if (labels.length === 1) return undefined
  const positive = labels.findIndex((label) => POSITIVE.test(label))
  if (positive >= 0) return positive
  if (labels.length === 2) return 1
  throw badModel(`the head has the labels ${labels.join(', ')}: option rerank_label names the one to rank by`)
}

function readTokenizer({ tokenizer, tokenizerConfig }: ModelTexts): TextTokenizer {
  try {
    return createTextTokenizer({ tokenizer, config: tokenizerConfig })
  } catch (error) {
    throw badModel(`tokenizer.json: ${error instanceof Error ? error.message : 'cannot be used'}`, error)
  }
}

/** Runs the graph once, so that its faults show at load. Returns the width of its outputs. */
async function probe(encoder: Encoder, tokenizer: TextTokenizer, signal: AbortSignal): Promise<number> {
  const tokens = await tokenizer.encode('a', { signal })
  const ids = tokens.length > 0 ? tokens.map(({ id }) => id) : [tokenizer.padId]
  try {
    const rows = [frameRow(tokenizer.single, ids)]
    const [width = 0] = await runRows(encoder, { rows, read: (output) => output.width }, { signal })
    return width
  } catch (error) {
    signal.throwIfAborted()
    throw badModel(error instanceof Error ? error.message : 'the model cannot be asked', error)
  }
}

function checkWidth(head: Head, width: number, texts: ModelTexts): void {
  if (head.task === 'classify' && width !== head.classifier.labels.length) {
    throw badModel(`the graph has ${width} labels, config.json names ${head.classifier.labels.length}`)
  }
  if (head.task !== 'rank') return
  const names = typeof texts.config.id2label === 'object' ? readLabels(texts).length : 1
  if (width !== names) throw badModel(`the graph has ${width} labels, config.json names ${names}`)
}

function findEncoder(head: Head): Encoder {
  switch (head.task) {
    case 'classify':
      return head.classifier.encoder
    case 'embed':
      return head.embedder.encoder
    case 'rank':
      return head.ranker.encoder
  }
}

function readMaxTokens(head: Head): number {
  switch (head.task) {
    case 'classify':
      return head.classifier.maxTokens
    case 'embed':
      return head.embedder.maxTokens
    case 'rank':
      return head.ranker.maxTokens
  }
}

/** The engine's error about a file, without the folder. */
function describeGraphFault(error: unknown, file: string): unknown {
  if (!(error instanceof OnnxError)) return error
  const name = path.basename(file)
  if (/protobuf parsing failed|INVALID_PROTOBUF/i.test(error.message)) return badModel(`${name}: no ONNX model`, error)
  const told = error.message.replaceAll(file, name).replaceAll(path.dirname(file), '').replace(/\s+/g, ' ')
  return badModel(`${name}: ${told.slice(0, 500)}`, error)
}
