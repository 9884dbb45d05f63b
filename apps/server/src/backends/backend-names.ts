/** A backend under its own name, and the `Type` that an old spelling stands for. */
export interface CanonicalBackend {
  readonly name: string
  /** Goes to `ModelOptions.Type` unless the model file has one. */
  readonly type?: string
}

/** Old and short spellings that existing model files use. */
const ALIASES: ReadonlyMap<string, CanonicalBackend> = new Map([
  ['go-llama', { name: 'llama-cpp' }],
  ['llama', { name: 'llama-cpp' }],
  ['ik_llama', { name: 'ik-llama-cpp' }],
  ['ik-llama', { name: 'ik-llama-cpp' }],
  ['embedded-store', { name: 'local-store' }],
  ['valkey', { name: 'valkey-store' }],
  ['stablediffusion', { name: 'stablediffusion-ggml' }],
  ['huggingface-embeddings', { name: 'transformers', type: 'SentenceTransformer' }],
  ['sentencetransformers', { name: 'transformers', type: 'SentenceTransformer' }],
  ['mamba', { name: 'transformers', type: 'Mamba' }],
  ['transformers-musicgen', { name: 'transformers', type: 'MusicgenForConditionalGeneration' }],
])

/** The backend a name of a model file stands for; names are compared in lower case. */
export function canonicalBackend(name: string): CanonicalBackend {
  const key = name.toLowerCase()
  return ALIASES.get(key) ?? { name: key }
}
