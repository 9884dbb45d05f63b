import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GgufValue, type Tensor, writeGguf } from './engine-gguf.ts'

/** A llama of about 100 MB in 32-bit floats. Its weights are random: its text is meaningless and its speed is real. */
const SHAPE = { layers: 6, embedding: 512, feedForward: 1536, heads: 8, vocabulary: 4096, context: 8192 } as const
const CONSONANTS = 'bcdfghjklmnpqrstvwxz'
const VOWELS = 'aeiou'
/** Number of the first token with text; marks and bytes come first. */
const FIRST_TEXT = 3 + 256

/** Words of three letters, each of them one token. */
const WORDS: readonly string[] = [...CONSONANTS].flatMap((first) =>
  [...VOWELS].flatMap((vowel) => [...CONSONANTS].map((last) => `${first}${vowel}${last}`)),
)

/** The given number of words in pseudo-random order; equal seeds give equal texts. */
export function createText(words: number, seed: number): string {
  const random = createRandom(seed)
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
}

/** Path of the model file in the system's folder for temporary files; the first call writes it. */
export function writeEngineModel(): string {
  const folder = join(tmpdir(), 'svc-bench')
  const file = join(folder, `engine-${Object.values(SHAPE).join('-')}.gguf`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const tokens = createTokens()
  writeGguf(`${file}.tmp`, createKeys(tokens), createTensors(tokens.length))
  renameSync(`${file}.tmp`, file)
  return file
}

/** Marks, all bytes, words with their beginnings, and combinations of letters up to the size of the vocabulary. */
function createTokens(): string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const beginnings = WORDS.flatMap((word) => [1, 2, 3].map((length) => `▁${word.slice(0, length)}`))
  const letters = [...CONSONANTS, ...VOWELS]
  const pairs = letters.flatMap((first) => letters.map((second) => `${first}${second}`))
  const triples = pairs.flatMap((pair) => letters.map((third) => `${pair}${third}`))
  const all = new Set(['<unk>', '<s>', '</s>', ...bytes, '▁', ...beginnings, ...letters, ...pairs, ...triples])
  return [...all].slice(0, SHAPE.vocabulary)
}

function createKeys(tokens: readonly string[]): Record<string, GgufValue> {
  const { layers, embedding, feedForward, heads, context } = SHAPE
  return {
    'general.architecture': 'llama',
    'general.name': 'bench',
    'llama.attention.layer_norm_rms_epsilon': { f32: 1e-5 },
    'llama.context_length': context,
    'llama.embedding_length': embedding,
    'llama.block_count': layers,
    'llama.feed_forward_length': feedForward,
    'llama.attention.head_count': heads,
    'llama.attention.head_count_kv': heads,
    'llama.rope.dimension_count': embedding / heads,
    'llama.vocab_size': tokens.length,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': { f32s: tokens.map((token, id) => (id < FIRST_TEXT ? 0 : token.length)) },
    'tokenizer.ggml.token_type': { i32s: tokens.map((_, id) => tokenType(id)) },
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.ggml.unknown_token_id': 0,
    'tokenizer.ggml.add_bos_token': true,
    'tokenizer.chat_template': '{% for m in messages %}{{ m.content }}{% endfor %}',
  }
}

/** Unknown, mark, byte or text, as the format numbers them. */
function tokenType(id: number): number {
  if (id === 0) return 2
  if (id < 3) return 3
  return id < FIRST_TEXT ? 6 : 1
}

function createTensors(vocabulary: number): Tensor[] {
  const random = createRandom(1)
  const { layers, embedding, feedForward } = SHAPE
  const matrix = (name: string, columns: number, rows: number): Tensor => ({
    name: `${name}.weight`,
    dimensions: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => (random() - 0.5) * Math.sqrt(12 / columns)),
  })
  const ones = (name: string): Tensor => ({
    name: `${name}.weight`,
    dimensions: [embedding],
    data: new Float32Array(embedding).fill(1),
  })
  const output = matrix('output', embedding, vocabulary)
  // tokens without text score 0 and are never the likeliest: answers end only at their limit
  output.data.fill(0, 0, FIRST_TEXT * embedding)
  return [
    matrix('token_embd', embedding, vocabulary),
    ones('output_norm'),
    output,
    ...Array.from({ length: layers }, (_, layer) => `blk.${layer}`).flatMap((block) => [
      ones(`${block}.attn_norm`),
      ...['q', 'k', 'v', 'output'].map((part) => matrix(`${block}.attn_${part}`, embedding, embedding)),
      ones(`${block}.ffn_norm`),
      matrix(`${block}.ffn_gate`, embedding, feedForward),
      matrix(`${block}.ffn_up`, embedding, feedForward),
      matrix(`${block}.ffn_down`, feedForward, embedding),
    ]),
  ]
}

/** Pseudo-random numbers in 0..1, the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
