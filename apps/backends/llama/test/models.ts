import { type GgufTensor, type GgufValue, writeGguf } from '@svc/test-kit'
import { createRandom, type Random } from './random.ts'

/** A vocabulary in the style of SentencePiece: marks, all bytes, words with their beginnings, printable characters. */
export interface Vocabulary {
  readonly tokens: readonly string[]
  readonly types: readonly number[]
  readonly scores: readonly number[]
}

/** Recipe of a model. */
export interface ModelRecipe {
  /** Successions of tokens: each token of a chain determines the next one. Absent: random weights. */
  readonly chains?: readonly (readonly string[])[] | undefined
  /** @default 512 */
  readonly contextLength?: number | undefined
  /** @default ChatML; null: no template */
  readonly template?: string | null | undefined
  /** 1: the mean of all tokens. Absent: no pooling. */
  readonly poolingType?: number | undefined
  /** `llama-embed` reads a text at once; `qwen3` has a head that ranks. @default llama */
  readonly architecture?: 'llama' | 'llama-embed' | 'qwen3' | undefined
  /** Keys that replace or extend the usual ones. */
  readonly keys?: Readonly<Record<string, GgufValue>> | undefined
}

const WORDS =
  'hello world the a model says yes no code math weather today is it good bad paris france london smile loop end'
const EMBEDDING = 256
const FEED_FORWARD = 32
const HEADS = 4

/** The first token of every deterministic model's chain: the last token of a ChatML prompt is a line end. */
const LINE_END = '<0x0A>'
const END = '</s>'

const HELLO = ['▁hello', '▁world', '▁the', '▁weather', '▁today', '▁is', '▁good', END]
const SMILE = ['▁smile', '<0xF0>', '<0x9F>', '<0x98>', '<0x80>', END]
const LOOP = ['▁loop', '▁yes', '▁no', '▁code', '▁math', '▁yes']

/**
 * Chains of the usual test model. After a ChatML prompt, and after "hello", greedy decoding says "world the weather
 * today is good" and ends; after "smile" an emoji byte by byte; after "loop" it never ends.
 */
export const CHAINS = [[LINE_END, '▁hello'], HELLO, SMILE, LOOP]

const RANK_LABELS: [string, GgufValue] = ['qwen3.classifier.output_labels', { type: 'texts', value: ['yes', 'no'] }]

/** The vocabulary of all test models. */
export function createVocabulary(): Vocabulary {
  const tokens = ['<unk>', '<s>', END]
  const types = [2, 3, 3]
  const scores = [0, 0, 0]
  const add = (token: string, type: number, score: number): void => {
    if (tokens.includes(token)) return
    tokens.push(token)
    types.push(type)
    scores.push(score)
  }
  for (let byte = 0; byte < 256; byte++) add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, 6, 0)
  for (const mark of ['<|im_start|>', '<|im_end|>']) add(mark, 3, 0)
  add('<tool_call>', 4, 0)
  for (const word of WORDS.split(' ')) {
    for (let length = 1; length <= word.length; length++) add(`▁${word.slice(0, length)}`, 1, -tokens.length)
  }
  add('▁', 1, -tokens.length)
  for (let code = 33; code < 127; code++) add(String.fromCharCode(code), 1, -tokens.length)
  return { tokens, types, scores }
}

/** A tiny llama model as the bytes of a file. Equal recipes give equal bytes. */
export function createModel(recipe: ModelRecipe = {}): Buffer {
  const vocabulary = createVocabulary()
  const keys = new Map<string, GgufValue>([
    ...hyperparameters(vocabulary, recipe),
    ...tokenizerKeys(vocabulary, recipe),
    ...Object.entries(recipe.keys ?? {}),
  ])
  return writeGguf({ keys, tensors: createTensors(vocabulary, recipe) })
}

function hyperparameters(vocabulary: Vocabulary, recipe: ModelRecipe): [string, GgufValue][] {
  const { contextLength = 512, poolingType, architecture = 'llama' } = recipe
  const numbers: [string, number][] = [
    ['context_length', contextLength],
    ['embedding_length', EMBEDDING],
    ['block_count', 1],
    ['feed_forward_length', FEED_FORWARD],
    ['attention.head_count', HEADS],
    ['attention.head_count_kv', HEADS],
    ['rope.dimension_count', EMBEDDING / HEADS],
    ['vocab_size', vocabulary.tokens.length],
    ...(poolingType === undefined ? [] : ([['pooling_type', poolingType]] as [string, number][])),
  ]
  return [
    ['general.architecture', { type: 'text', value: architecture }],
    ['general.name', { type: 'text', value: 'tiny' }],
    [`${architecture}.attention.layer_norm_rms_epsilon`, { type: 'f32', value: 1e-5 }],
    ...numbers.map(([name, value]): [string, GgufValue] => [`${architecture}.${name}`, { type: 'u32', value }]),
    ...(architecture === 'qwen3' ? [RANK_LABELS] : []),
  ]
}

function tokenizerKeys({ tokens, types, scores }: Vocabulary, { template }: ModelRecipe): [string, GgufValue][] {
  const keys: [string, GgufValue][] = [
    ['tokenizer.ggml.model', { type: 'text', value: 'llama' }],
    ['tokenizer.ggml.tokens', { type: 'texts', value: tokens }],
    ['tokenizer.ggml.scores', { type: 'f32s', value: scores }],
    ['tokenizer.ggml.token_type', { type: 'i32s', value: types }],
    ['tokenizer.ggml.bos_token_id', { type: 'u32', value: 1 }],
    ['tokenizer.ggml.eos_token_id', { type: 'u32', value: 2 }],
    ['tokenizer.ggml.unknown_token_id', { type: 'u32', value: 0 }],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: true }],
  ]
  if (template !== null) keys.push(['tokenizer.chat_template', { type: 'text', value: template ?? CHATML }])
  return keys
}

const CHATML =
  "{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

function createTensors(vocabulary: Vocabulary, { chains, architecture }: ModelRecipe): GgufTensor[] {
  const random = createRandom(7)
  const { length } = vocabulary.tokens
  const deviation = chains === undefined ? 1 / Math.sqrt(EMBEDDING) : 0
  const matrix = (name: string, columns: number, rows: number, scale = deviation): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [columns, rows],
    data: fill(columns * rows, random, scale),
  })
  const ones = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [EMBEDDING],
    data: new Float32Array(EMBEDDING).fill(1),
  })
  const embeddings = matrix('token_embd', EMBEDDING, length, 1)
  const output = matrix('output', EMBEDDING, length, 2 / Math.sqrt(EMBEDDING))
  if (chains !== undefined) chainUp(embeddings.data, output.data, { chains, vocabulary })
  return [
    embeddings,
    ones('output_norm'),
    output,
    ones('blk.0.attn_norm'),
    ...['q', 'k', 'v', 'output'].map((part) => matrix(`blk.0.attn_${part}`, EMBEDDING, EMBEDDING)),
    ones('blk.0.ffn_norm'),
    matrix('blk.0.ffn_gate', EMBEDDING, FEED_FORWARD),
    matrix('blk.0.ffn_up', EMBEDDING, FEED_FORWARD),
    matrix('blk.0.ffn_down', FEED_FORWARD, EMBEDDING),
    ...(architecture === 'qwen3' ? rankingTensors(random) : []),
  ]
}

/** The extra tensors of `qwen3`, and a head with two labels. */
function rankingTensors(random: Random): GgufTensor[] {
  const ones = (name: string): GgufTensor => {
    const length = EMBEDDING / HEADS
    return { name: `${name}.weight`, dimensions: [length], data: new Float32Array(length).fill(1) }
  }
  const head = fill(EMBEDDING * 2, random, 1 / Math.sqrt(EMBEDDING))
  return [
    ...[ones('blk.0.attn_q_norm'), ones('blk.0.attn_k_norm')],
    { name: 'cls.output.weight', dimensions: [EMBEDDING, 2], data: head },
  ]
}

/** An adapter that makes the usual model continue one word with another, as the bytes of a file. */
export function createAdapter(after: string, word: string): Buffer {
  const vocabulary = createVocabulary()
  // The first numbers of a model are its embeddings.
  const embeddings = fill(EMBEDDING * vocabulary.tokens.length, createRandom(7), 1)
  const place = vocabulary.tokens.indexOf(after)
  const down = embeddings.slice(place * EMBEDDING, (place + 1) * EMBEDDING)
  const up = new Float32Array(vocabulary.tokens.length)
  up[vocabulary.tokens.indexOf(word)] = 1
  const keys = new Map<string, GgufValue>([
    ['general.type', { type: 'text', value: 'adapter' }],
    ['general.architecture', { type: 'text', value: 'llama' }],
    ['adapter.type', { type: 'text', value: 'lora' }],
    ['adapter.lora.alpha', { type: 'f32', value: 1 }],
  ])
  const tensors = [
    { name: 'output.weight.lora_a', dimensions: [EMBEDDING, 1], data: down },
    { name: 'output.weight.lora_b', dimensions: [1, vocabulary.tokens.length], data: up },
  ]
  return writeGguf({ keys, tensors })
}

function fill(length: number, random: Random, scale: number): Float32Array {
  return Float32Array.from({ length }, () => (scale === 0 ? 0 : random.normal() * scale))
}

/**
 * With attention and feed-forward at zero, the score of a token is its similarity to the embedding of the previous one.
 */
function chainUp(
  embeddings: Float32Array,
  output: Float32Array,
  { chains, vocabulary }: { chains: readonly (readonly string[])[]; vocabulary: Vocabulary },
): void {
  const place = (token: string): number => {
    const id = vocabulary.tokens.indexOf(token)
    if (id < 0) throw new Error(`${token} is not in the vocabulary`)
    return id * EMBEDDING
  }
  output.fill(0)
  for (const chain of chains) {
    for (const [index, token] of chain.slice(1).entries()) {
      const from = place(chain[index] ?? '')
      const to = place(token)
      for (let k = 0; k < EMBEDDING; k++) output[to + k] = (output[to + k] ?? 0) + 0.2 * (embeddings[from + k] ?? 0)
    }
  }
}
