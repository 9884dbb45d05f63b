/** Sampling defaults of a family of models. */
export interface SamplingDefaults {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly minP?: number
  readonly repeatPenalty?: number
  readonly presencePenalty?: number
}

const NARROW = { temperature: 0.7, topP: 0.8, topK: 20, minP: 0, repeatPenalty: 1 }
const WIDE = { temperature: 1.5, topP: 0.95, topK: -1, minP: 0.1, repeatPenalty: 1 }
const TOP_64 = { temperature: 1, topP: 0.95, topK: 64, minP: 0, repeatPenalty: 1 }
const USUAL = { temperature: 0.7, topP: 0.95, topK: -1, minP: 0.01, repeatPenalty: 1 }
const CAREFUL = { temperature: 0.6, topP: 0.95, topK: -1, minP: 0.01, repeatPenalty: 1 }
const FREE = { temperature: 1, topP: 0.95, topK: -1, minP: 0.01, repeatPenalty: 1 }
const TOP_40 = { temperature: 1, topP: 0.95, topK: 40, minP: 0.01, repeatPenalty: 1 }

/** Families by a part of the normalised model id. The first match counts, so longer names come first. */
const FAMILIES: readonly (readonly [name: string, defaults: SamplingDefaults])[] = [
  ['qwen3.6', { ...NARROW, presencePenalty: 1.5 }],
  ['qwen3.5', { ...NARROW, presencePenalty: 1.5 }],
  ['qwen3-coder', NARROW],
  ['qwen3-next', NARROW],
  ['qwen3-vl', NARROW],
  ['qwen3', { temperature: 0.6, topP: 0.95, topK: 20, minP: 0, repeatPenalty: 1 }],
  ['qwen2.5-coder', WIDE],
  ['qwen2.5-vl', WIDE],
  ['qwen2.5-omni', NARROW],
  ['qwen2.5-math', NARROW],
  ['qwen2.5', NARROW],
  ['qwen2-vl', WIDE],
  ['qwen2', NARROW],
  ['qwq', { temperature: 0.6, topP: 0.95, topK: 40, minP: 0, repeatPenalty: 1 }],
  ['gemma-4', { ...TOP_64, presencePenalty: 0 }],
  ['gemma-3n', TOP_64],
  ['gemma-3', TOP_64],
  ['medgemma', TOP_64],
  ['gemma-2', TOP_64],
  ['llama-4', { ...FREE, topP: 0.9 }],
  ['llama-3.3', WIDE],
  ['llama-3.2', WIDE],
  ['llama-3.1', WIDE],
  ['llama-3', WIDE],
  ['phi-4', { temperature: 0.8, topP: 0.95, topK: -1, minP: 0, repeatPenalty: 1 }],
  ['phi-3', { ...USUAL, topP: 0.9 }],
  ['mistral-nemo', USUAL],
  ['mistral-small', { ...USUAL, temperature: 0.15 }],
  ['mistral-large', USUAL],
  ['magistral', USUAL],
  ['ministral', { ...USUAL, temperature: 0.15 }],
  ['devstral', USUAL],
  ['pixtral', WIDE],
  ['deepseek-v4', { temperature: 1, topP: 1, topK: -1, minP: 0, repeatPenalty: 1 }],
  ['deepseek-r1', CAREFUL],
  ['deepseek-v3', CAREFUL],
  ['deepseek-ocr', { ...USUAL, temperature: 0 }],
  ['glm-5', FREE],
  ['glm-4', FREE],
  ['nemotron', { ...FREE, topP: 1 }],
  ['minimax-m2.7', TOP_40],
  ['minimax-m2.5', TOP_40],
  ['minimax', TOP_40],
  ['gpt-oss', { temperature: 1, topP: 1, topK: 0, minP: 0.01, repeatPenalty: 1 }],
  ['granite-4', { temperature: 0, topP: 1, topK: 0, minP: 0.01, repeatPenalty: 1 }],
  ['kimi-k3', { temperature: 1, topP: 0.95, topK: -1, minP: 0, repeatPenalty: 1 }],
  ['kimi-k2', CAREFUL],
  ['kimi', CAREFUL],
  ['lfm2', { temperature: 0.1, topP: 0.1, topK: 50, minP: 0.15, repeatPenalty: 1.05 }],
  ['smollm', USUAL],
  ['olmo', USUAL],
  ['falcon', USUAL],
  ['ernie', USUAL],
  ['seed', USUAL],
  ['grok', FREE],
  ['mimo', USUAL],
]

/**
 * Normalises a model id: without folder and extension, in lower case, `_` as `-`. `someorg/Gemma_3n.gguf` becomes
 * `gemma-3n`.
 */
export function normaliseModelId(id: string): string {
  return id
    .slice(id.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.gguf$/, '')
    .replaceAll('_', '-')
}

/** Finds the family of a model id; undefined for an unknown family. */
export function findFamily(id: string): { readonly family: string; readonly defaults: SamplingDefaults } | undefined {
  const normalised = normaliseModelId(id)
  const found = FAMILIES.find(([name]) => normalised.includes(name))
  return found && { family: found[0], defaults: found[1] }
}
