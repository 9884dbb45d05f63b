/** Canonical name of a backend, and the `Type` for an old spelling. */
export interface CanonicalBackend {
  readonly name: string
  /** Sent as `ModelOptions.Type` unless the model file has one. */
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

/** Gives the canonical backend for a name in a model file; case does not matter. */
export function toCanonicalBackend(name: string): CanonicalBackend {
  const key = name.toLowerCase()
  return ALIASES.get(key) ?? { name: key }
}

/** Engines of language models beside `llama-cpp` and its derived names. */
const LANGUAGE_ENGINES: ReadonlySet<string> = new Set([
  ...['turboquant', 'bonsai', 'ds4', 'sglang', 'vllm', 'vllm-omni', 'vllm-cpp', 'mlx', 'mlx-vlm', 'mlx-distributed'],
  ...['transformers', 'tinygrad', 'liquid-audio', 'llm'],
])

/** Backends that run no models of model files. */
const NO_ENGINES: ReadonlySet<string> = new Set([
  ...['local-store', 'valkey-store', 'opus', 'cloud-proxy', 'service-proxy', 'pattern'],
  ...['llama-cpp-quantization', 'trl'],
])

/** Engines that load whole repositories of the model hub. */
const SNAPSHOT_ENGINES: ReadonlySet<string> = new Set([
  ...['transformers', 'diffusers', 'vllm', 'vllm-omni', 'sglang', 'longcat-video', 'liquid-audio'],
  ...['qwen-asr', 'qwen-tts', 'fish-speech', 'nemo', 'voxcpm'],
])

/** Words that builds add before or after a backend's name: `cuda12-vllm`, `vllm-development`. */
const BUILD_WORD =
  /^(?:cpu|cuda\d*|rocm\d*|hipblas|vulkan|metal|darwin|intel|sycl|nvidia|l4t|arm64|x86|development|master|latest|\d+)$/

/** Removes the words of builds from a name. */
function toEngine(name: string): string {
  const parts = toCanonicalBackend(name).name.split('-')
  const kept = parts.filter((part) => !BUILD_WORD.test(part))
  return kept.length === 0 ? name : kept.join('-')
}

/** Whether a backend is llama.cpp, by its name. */
export function isLlama(name: string): boolean {
  return toEngine(name) === 'llama-cpp'
}

/** Whether a backend runs language models, by its name. */
export function runsLanguage(name: string): boolean {
  const engine = toEngine(name)
  return engine.endsWith('llama-cpp') || LANGUAGE_ENGINES.has(engine)
}

/** Whether a backend loads the repository that its model names as a whole. */
export function loadsSnapshots(name: string): boolean {
  return name !== '' && SNAPSHOT_ENGINES.has(toEngine(name))
}

/** Whether a backend runs models at all, by its name. */
export function runsModels(name: string): boolean {
  return !NO_ENGINES.has(toEngine(name))
}
