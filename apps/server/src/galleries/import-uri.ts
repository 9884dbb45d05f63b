import { SvcError } from '@svc/errors'
import { runsLanguage } from '../backends/backend-names.ts'
import { readsGguf } from '../catalog/attach-weights.ts'
import { isGgufName } from '../catalog/to-model-config.ts'
import { hasDotSegment, type ResolvedUri, resolveUri, type UriServices } from '../downloads/resolve-uri.ts'
import { checkName } from '../files/safe-path.ts'
import { parseImageReference } from '../oci/image-reference.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { type HubRepository, readHubRepository } from './hub-repository.ts'
import { findRawWeights } from './model-image.ts'
import type { ModelRequest } from './model-plan.ts'
import { findWhisperFile, isWhisperName, WHISPER_KEYS } from './whisper-files.ts'

/** Wishes for the model behind an address. */
export interface ImportPreferences {
  /** @default the last part of the address */
  readonly name?: string | undefined
  readonly backend?: string | undefined
  readonly description?: string | undefined
  /** Quantizations in the order of preference, such as `q4_k_m`. */
  readonly quantizations?: readonly string[] | undefined
}

/** The installation that an address asks for, or the question that it leaves open. */
export type ImportPlan =
  | { readonly kind: 'install'; readonly request: ModelRequest }
  | { readonly kind: 'ambiguous'; readonly modality: string; readonly candidates: readonly string[] }

/** Parts of {@link planImport}. */
export interface ImportParts {
  readonly client: OutboundClient
  readonly services: () => UriServices
  /** Whether this machine has a backend or a gallery has it. */
  readonly canRun: (backend: string, options: { readonly signal: AbortSignal }) => Promise<boolean>
}

/**
 * The modality of a task, the backends that load its repository by name, and the keys that say what its model can do.
 */
interface Task {
  readonly modality: string
  readonly backends: readonly string[]
  readonly keys: Readonly<Record<string, unknown>>
}

/** A conversation whose template lies with the weights, where the server does not see it. */
const CHATS = { known_usecases: ['chat'], template: { use_tokenizer_template: true } }

/** Tasks as the hub names them. */
const BY_TASK: Readonly<Record<string, Task>> = {
  'text-generation': { modality: 'text', backends: ['transformers', 'vllm', 'sglang', 'mlx'], keys: CHATS },
  'image-text-to-text': {
    modality: 'text',
    backends: ['vllm', 'sglang', 'mlx-vlm', 'transformers'],
    keys: { ...CHATS, known_usecases: ['chat', 'vision'] },
  },
  'feature-extraction': {
    modality: 'embeddings',
    backends: ['transformers', 'sentencetransformers'],
    keys: { embeddings: true },
  },
  'sentence-similarity': {
    modality: 'embeddings',
    backends: ['sentencetransformers', 'transformers'],
    keys: { embeddings: true },
  },
  'text-ranking': { modality: 'reranker', backends: ['rerankers'], keys: { known_usecases: ['rerank'] } },
  'automatic-speech-recognition': {
    modality: 'asr',
    backends: ['faster-whisper', 'nemo', 'transformers'],
    keys: { known_usecases: ['transcript'] },
  },
  'text-to-speech': {
    modality: 'tts',
    backends: ['transformers', 'kokoro', 'qwen-tts'],
    keys: { known_usecases: ['tts'] },
  },
  'text-to-image': {
    modality: 'image',
    backends: ['diffusers', 'stablediffusion-ggml'],
    keys: { known_usecases: ['image'] },
  },
  'text-to-video': { modality: 'video', backends: ['diffusers', 'vllm-omni'], keys: { known_usecases: ['video'] } },
  'object-detection': { modality: 'detection', backends: ['rfdetr'], keys: { known_usecases: ['detection'] } },
}

/**
 * Keys that say what a model can be asked for, where neither its backend nor its weights tell the server. Engines of
 * language models chat with a model whose task nobody names.
 */
function listUseKeys(task: Task | undefined, backend: string): Readonly<Record<string, unknown>> {
  if (task !== undefined && task.modality !== 'text') return task.keys
  return runsLanguage(backend) && !readsGguf(backend) ? (task?.keys ?? CHATS) : {}
}

const DEFAULT_QUANTIZATIONS = ['q4_k_m', 'q4_k_s', 'q4_0', 'q5_k_m', 'q8_0']

/**
 * Finds out how the model behind an address is installed: a file of weights, a model file, an image, a repository of the
 * hub, or a model of the alternate ecosystem.
 *
 * @throws {SvcError} `invalid_request` (`invalid_uri`, `invalid_name`); as {@link readHubRepository}
 */
export async function planImport(
  uri: string,
  preferences: ImportPreferences,
  parts: ImportParts,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const repository = toRepositoryName(uri, parts.services())
  if (repository !== undefined) return planRepository(repository, preferences, parts, signal)
  const resolved = resolveUri(uri, 'public', parts.services())
  if (resolved.kind === 'ollama') {
    const name = preferences.name ?? resolved.reference.slice(resolved.reference.lastIndexOf('/') + 1)
    return planFile(`${name.replaceAll(/[^\w.-]/g, '-')}.gguf`, uri, { ...preferences, name })
  }
  if (resolved.kind === 'oci' || resolved.kind === 'oci-file')
    return planImage(uri, resolved, preferences, parts, signal)
  const path = resolved.kind === 'http' ? new URL(resolved.source.url).pathname : uri
  const filename = decode(path.slice(path.lastIndexOf('/') + 1))
  if (/\.ya?ml$/i.test(filename)) {
    const name = preferences.name ?? filename.replace(/\.ya?ml$/i, '')
    checkName(name, 'model')
    return { kind: 'install', request: { url: uri, name, overrides: toOverrides(preferences) } }
  }
  if (isGgufName(filename) || isWhisperName(filename)) return planFile(filename, uri, preferences)
  throw new SvcError(
    'invalid_request',
    'the address is neither a GGUF file, a Whisper file (ggml-*.bin), a model file, an image, a repository of the hub nor an ollama:// name',
    { code: 'invalid_uri', details: { param: 'uri' } },
  )
}

/** An image holds a model file, the weights, or a folder that a backend loads. */
async function planImage(
  uri: string,
  resolved: Extract<ResolvedUri, { kind: 'oci' | 'oci-file' }>,
  preferences: ImportPreferences,
  { client, services }: ImportParts,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const place = resolved.kind === 'oci' ? parseImageReference(resolved.reference).repository : resolved.path
  const name = preferences.name ?? place.slice(place.lastIndexOf('/') + 1).replace(/\.tar$/i, '')
  checkName(name, 'model')
  const weights =
    resolved.kind === 'oci'
      ? await findRawWeights(resolved.reference, { client, credentials: services().credentials, signal })
      : undefined
  if (weights !== undefined && /yaml/i.test(weights.mediaType)) {
    return { kind: 'install', request: { url: uri, name, overrides: toOverrides(preferences) } }
  }
  const filename = name.replaceAll(/[^\w.-]/g, '-')
  if (weights !== undefined) return planFile(`${filename}.gguf`, uri, { ...preferences, name })
  if (preferences.backend === undefined) return { kind: 'ambiguous', modality: 'unknown', candidates: [] }
  const configFile = { parameters: { model: filename }, ...listUseKeys(undefined, preferences.backend) }
  const files = [{ filename, uri }]
  return { kind: 'install', request: { name, configFile, overrides: toOverrides(preferences), files } }
}

/** `owner/repo` of an address that names a whole repository. */
function toRepositoryName(uri: string, { hubUrl }: UriServices): string | undefined {
  const prefixes = [
    'huggingface://',
    'hf://',
    'huggingface:',
    'hf:',
    'https://huggingface.co/',
    'https://hf.co/',
    'hf.co/',
    `${hubUrl}/`,
  ]
  const prefix = prefixes.find((one) => uri.startsWith(one))
  const path = uri.slice(prefix?.length ?? 0).replace(/\/$/, '')
  return /^[\w.-]+\/[\w.-]+$/.test(path) && !hasDotSegment(path.split('/')) ? path : undefined
}

/** Text that is not encoded as it should be stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function planFile(filename: string, uri: string, preferences: ImportPreferences): ImportPlan {
  const name = preferences.name ?? filename.replace(/\.(?:gguf|bin)$/i, '')
  checkName(name, 'model')
  return {
    kind: 'install',
    request: {
      name,
      configFile: { ...(isWhisperName(filename) ? WHISPER_KEYS : {}), parameters: { model: filename } },
      overrides: toOverrides(preferences),
      files: [{ filename, uri }],
    },
  }
}

async function planRepository(
  repository: string,
  preferences: ImportPreferences,
  parts: ImportParts,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const found = await readHubRepository(repository, parts, signal)
  const name = preferences.name ?? repository.slice(repository.indexOf('/') + 1)
  checkName(name, 'model')
  const ggufs = chooseWeights(found, preferences.quantizations ?? DEFAULT_QUANTIZATIONS)
  const whisper = ggufs.length > 0 ? undefined : findWhisperFile(found.files, repository)
  const weights = whisper === undefined ? ggufs : [whisper]
  const [main] = weights
  if (main !== undefined) {
    const projector = found.files.find(({ path }) => isGgufName(path) && /mmproj/i.test(path))
    const folder = repository.replace('/', '__')
    const files = [...weights, ...(projector === undefined ? [] : [projector])].map(({ path, sha256 }) => ({
      filename: `${folder}/${path}`,
      uri: `hf://${repository}/${path}@${found.revision}`,
      ...(sha256 === undefined ? {} : { sha256 }),
    }))
    const configFile = {
      ...(whisper === undefined ? {} : WHISPER_KEYS),
      ...(projector === undefined ? {} : { mmproj: `${folder}/${projector.path}` }),
      parameters: { model: `${folder}/${main.path}` },
    }
    return { kind: 'install', request: { name, configFile, overrides: toOverrides(preferences), files } }
  }
  const task = Object.hasOwn(BY_TASK, found.task) ? BY_TASK[found.task] : undefined
  const { modality = found.task || 'unknown', backends = [] } = task ?? {}
  const usable: string[] = []
  if (preferences.backend === undefined) {
    for (const backend of backends) if (await parts.canRun(backend, { signal })) usable.push(backend)
  }
  const backend = preferences.backend ?? (usable.length === 1 ? usable[0] : undefined)
  if (backend === undefined) return { kind: 'ambiguous', modality, candidates: usable.length === 0 ? backends : usable }
  const configFile = { parameters: { model: repository }, ...listUseKeys(task, backend) }
  return { kind: 'install', request: { name, configFile, overrides: { ...toOverrides(preferences), backend } } }
}

/** The GGUF files of the first quantization that a repository has; all parts of a model in parts. */
function chooseWeights({ files }: HubRepository, quantizations: readonly string[]): HubRepository['files'] {
  const weights = files.filter(({ path }) => isGgufName(path) && !/mmproj/i.test(path))
  const wanted = quantizations
    .map((quantization) => weights.find(({ path }) => path.toLowerCase().includes(quantization.toLowerCase())))
    .find((file) => file !== undefined)
  const chosen = wanted ?? weights[0]
  const parts = chosen === undefined ? null : /^(.*)-\d{5}-of-(\d{5})\.gguf$/i.exec(chosen.path)
  if (chosen === undefined || parts === null) return chosen === undefined ? [] : [chosen]
  const [, stem = '', total = ''] = parts
  return weights.filter(({ path }) => path.startsWith(`${stem}-`) && path.toLowerCase().endsWith(`-of-${total}.gguf`))
}

function toOverrides({ backend, description }: ImportPreferences): Readonly<Record<string, unknown>> {
  return { ...(backend === undefined ? {} : { backend }), ...(description === undefined ? {} : { description }) }
}
