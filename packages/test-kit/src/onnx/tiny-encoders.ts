import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OnnxGraph, type OnnxNode, type OnnxTensor, type OnnxValue, toOnnxFile } from './onnx-file.ts'
import { createTinyTokenizer, type TinyTokenizer, type TinyTokenizerKind } from './tiny-tokenizers.ts'
import { FEATURES, type Feature, SPECIAL_TOKENS } from './tiny-vocabulary.ts'

/** Options of the tiny models of a test. */
export interface TinyEncoderOptions {
  /** @default 'word-piece' */
  readonly tokenizer?: TinyTokenizerKind | undefined
  /** Most tokens of one input, [CLS] and [SEP] included. @default 128 */
  readonly maxTokens?: number | undefined
  /** Labels that `config.json` names. @default the graph's labels */
  readonly labels?: readonly string[] | undefined
}

/** Floats of a vector of {@link writeTinyEmbedder}. */
export const TINY_EMBEDDING_SIZE = 32

/** Labels of {@link writeTinyNer}. */
export const TINY_NER_LABELS = ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC', 'B-EMAIL', 'I-EMAIL'] as const
type NerLabel = (typeof TINY_NER_LABELS)[number]

/** Tokens on each side that the token classifier looks at. */
export const TINY_NER_REACH = 3

/** `[label, feature, distance from the token, weight for the label]` */
const NER_RULES: readonly (readonly [NerLabel, Feature, number, number])[] = [
  ['B-PER', 'first', 0, 6],
  ['B-PER', 'last', 0, 6],
  ['I-PER', 'last', 0, 5],
  ['I-PER', 'first', -1, 1.5],
  ['B-LOC', 'city', 0, 6],
  ['B-LOC', 'cityTail', 0, 6],
  ['I-LOC', 'cityTail', 0, 5],
  ['I-LOC', 'city', -1, 1.5],
  ['B-EMAIL', 'at', 1, 8],
  ['I-EMAIL', 'at', 0, 8],
  ['I-EMAIL', 'at', -1, 7],
  ['I-EMAIL', 'dot', 0, 2],
  ['I-EMAIL', 'at', -2, 1],
  ['I-EMAIL', 'word', 0, 0.5],
  ['I-EMAIL', 'dot', -1, 1],
  ['I-EMAIL', 'at', -3, 1],
]
/** Weight for no entity, at any place. */
const OUTSIDE = 2

const INPUT_IDS: OnnxValue = { name: 'input_ids', kind: 'int64', dims: ['batch', 'length'] }
const ATTENTION_MASK: OnnxValue = { name: 'attention_mask', kind: 'int64', dims: ['batch', 'length'] }
const TOKEN_TYPE_IDS: OnnxValue = { name: 'token_type_ids', kind: 'int64', dims: ['batch', 'length'] }

/**
 * Writes a folder with a token classifier that knows a few dozen words: first and last names (PER), cities (LOC) and
 * mail addresses such as `alice@example.com` (EMAIL). It looks at {@link TINY_NER_REACH} tokens on each side.
 */
export async function writeTinyNer(folder: string, options: TinyEncoderOptions = {}): Promise<void> {
  const tokenizer = createTinyTokenizer(options.tokenizer ?? 'word-piece')
  const labels = options.labels ?? TINY_NER_LABELS
  await writeModel(folder, tokenizer, options, {
    graph: createNerGraph(tokenizer),
    config: { architectures: ['BertForTokenClassification'], ...labelConfig(labels) },
  })
}

/**
 * Writes a folder with an embedding model: a fixed vector for each token, so that texts are as similar as their words.
 */
export async function writeTinyEmbedder(folder: string, options: TinyEncoderOptions = {}): Promise<void> {
  const tokenizer = createTinyTokenizer(options.tokenizer ?? 'word-piece')
  const output: OnnxValue = {
    name: 'last_hidden_state',
    kind: 'float32',
    dims: ['batch', 'length', TINY_EMBEDDING_SIZE],
  }
  await writeModel(folder, tokenizer, options, {
    graph: {
      nodes: [...maskedRows(), { op: 'Identity', inputs: ['rows'], outputs: ['last_hidden_state'] }],
      tensors: [...maskedTensors(), tokenVectors(tokenizer)],
      inputs: [INPUT_IDS, ATTENTION_MASK],
      outputs: [output],
    },
    config: { architectures: ['BertModel'], hidden_size: TINY_EMBEDDING_SIZE },
  })
  await mkdir(join(folder, '1_Pooling'), { recursive: true })
  const pooling = { word_embedding_dimension: TINY_EMBEDDING_SIZE, pooling_mode_mean_tokens: true }
  await writeFile(join(folder, '1_Pooling', 'config.json'), JSON.stringify(pooling))
}

/** Writes a folder with a model that reads a query and a document at once; more words in common, a higher score. */
export async function writeTinyRanker(folder: string, options: TinyEncoderOptions = {}): Promise<void> {
  const tokenizer = createTinyTokenizer(options.tokenizer ?? 'word-piece')
  const labels = options.labels ?? ['LABEL_0']
  await writeModel(folder, tokenizer, options, {
    graph: createRankGraph(tokenizer),
    config: { architectures: ['BertForSequenceClassification'], ...labelConfig(labels) },
  })
}

interface ModelParts {
  readonly graph: OnnxGraph
  readonly config: Readonly<Record<string, unknown>>
}

async function writeModel(
  folder: string,
  tokenizer: TinyTokenizer,
  { maxTokens = 128 }: TinyEncoderOptions,
  { graph, config }: ModelParts,
): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  const vocabulary = { vocab_size: tokenizer.features.length, max_position_embeddings: maxTokens }
  const special = { cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]', unk_token: '[UNK]' }
  await Promise.all([
    writeFile(join(folder, 'onnx', 'model.onnx'), toOnnxFile(graph)),
    writeFile(join(folder, 'config.json'), JSON.stringify({ model_type: 'bert', ...vocabulary, ...config })),
    writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer.file)),
    writeFile(
      join(folder, 'tokenizer_config.json'),
      JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: maxTokens, ...special }),
    ),
  ])
}

function labelConfig(labels: readonly string[]): Readonly<Record<string, unknown>> {
  return { id2label: Object.fromEntries(labels.map((label, id) => [id, label])) }
}

/** A row of numbers for each token, zeros where the mask is 0: `rows`. */
function maskedRows(): readonly OnnxNode[] {
  return [
    { op: 'Gather', inputs: ['tokens', 'input_ids'], outputs: ['found'], attributes: { axis: 0 } },
    { op: 'Cast', inputs: ['attention_mask'], outputs: ['mask'], attributes: { to: 1 } },
    { op: 'Unsqueeze', inputs: ['mask', 'last_axis'], outputs: ['mask_column'] },
    { op: 'Mul', inputs: ['found', 'mask_column'], outputs: ['rows'] },
  ]
}

function maskedTensors(): readonly OnnxTensor[] {
  return [{ name: 'last_axis', dims: [1], data: BigInt64Array.of(2n) }]
}

/** Features of tokens, and a filter that looks at the neighbours of each. */
function createNerGraph(tokenizer: TinyTokenizer): OnnxGraph {
  const width = FEATURES.length
  const reach = 2 * TINY_NER_REACH + 1
  const table = new Float32Array(tokenizer.features.length * width)
  for (const [id, feature] of tokenizer.features.entries()) {
    if (feature !== undefined) table[id * width + FEATURES.indexOf(feature)] = 1
  }
  const count = TINY_NER_LABELS.length
  const filter = new Float32Array(count * width * reach)
  for (const [label, feature, distance, weight] of NER_RULES) {
    const row = TINY_NER_LABELS.indexOf(label) * width + FEATURES.indexOf(feature)
    filter[row * reach + distance + TINY_NER_REACH] = weight
  }
  const bias = new Float32Array(count)
  bias[0] = OUTSIDE
  return {
    nodes: [
      ...maskedRows(),
      { op: 'Transpose', inputs: ['rows'], outputs: ['columns'], attributes: { perm: [0, 2, 1] } },
      {
        op: 'Conv',
        inputs: ['columns', 'filter', 'bias'],
        outputs: ['scores'],
        attributes: { kernel_shape: [reach], pads: [TINY_NER_REACH, TINY_NER_REACH] },
      },
      { op: 'Transpose', inputs: ['scores'], outputs: ['logits'], attributes: { perm: [0, 2, 1] } },
    ],
    tensors: [
      ...maskedTensors(),
      { name: 'tokens', dims: [tokenizer.features.length, width], data: table },
      { name: 'filter', dims: [count, width, reach], data: filter },
      { name: 'bias', dims: [count], data: bias },
    ],
    inputs: [INPUT_IDS, ATTENTION_MASK],
    outputs: [{ name: 'logits', kind: 'float32', dims: ['batch', 'length', count] }],
  }
}

/** The product of the sums of both texts' vectors, less a constant. */
function createRankGraph(tokenizer: TinyTokenizer): OnnxGraph {
  const sum = (from: string, to: string): OnnxNode => ({
    op: 'ReduceSum',
    inputs: [from, 'token_axis'],
    outputs: [to],
    attributes: { keepdims: 0 },
  })
  return {
    nodes: [
      ...maskedRows(),
      { op: 'Cast', inputs: ['token_type_ids'], outputs: ['types'], attributes: { to: 1 } },
      { op: 'Unsqueeze', inputs: ['types', 'last_axis'], outputs: ['type_column'] },
      { op: 'Mul', inputs: ['rows', 'type_column'], outputs: ['document_rows'] },
      { op: 'Sub', inputs: ['rows', 'document_rows'], outputs: ['query_rows'] },
      sum('document_rows', 'document'),
      sum('query_rows', 'query'),
      { op: 'Mul', inputs: ['query', 'document'], outputs: ['product'] },
      { op: 'ReduceSum', inputs: ['product', 'token_axis'], outputs: ['alike'], attributes: { keepdims: 1 } },
      { op: 'Sub', inputs: ['alike', 'constant'], outputs: ['logits'] },
    ],
    tensors: [
      ...maskedTensors(),
      { name: 'token_axis', dims: [1], data: BigInt64Array.of(1n) },
      { name: 'constant', dims: [1], data: Float32Array.of(1) },
      tokenVectors(tokenizer),
    ],
    inputs: [INPUT_IDS, ATTENTION_MASK, TOKEN_TYPE_IDS],
    outputs: [{ name: 'logits', kind: 'float32', dims: ['batch', 1] }],
  }
}

/** A vector of length about 1 for each token, nearly orthogonal to the others; zero for special tokens. */
function tokenVectors(tokenizer: TinyTokenizer): OnnxTensor {
  const count = tokenizer.features.length
  const data = new Float32Array(count * TINY_EMBEDDING_SIZE)
  const scale = 1 / Math.sqrt(TINY_EMBEDDING_SIZE)
  let state = 1
  for (let index = SPECIAL_TOKENS.length * TINY_EMBEDDING_SIZE; index < data.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    data[index] = state >>> 31 === 1 ? scale : -scale
  }
  return { name: 'tokens', dims: [count, TINY_EMBEDDING_SIZE], data }
}
