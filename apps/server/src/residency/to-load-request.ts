import { join, resolve } from 'node:path'
import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { toCanonicalBackend } from '../backends/backend-names.ts'
import type { ModelConfig, ProxySettings } from '../catalog/model-config.ts'
import { leavesMachine, livesUpstream } from '../catalog/serving.ts'
import { isSlotOption, isSlotSavingOff, readSlotSavePath } from '../catalog/slot-save-path.ts'
import { hasUsecase } from '../catalog/usecases.ts'
import { isSafeName } from '../files/safe-path.ts'

/** Context of a load beside the model. */
export interface LoadRequestContext {
  /**
   * Seed of models without one, 0 to 2147483647. It is the same for all loads, so that equal models give equal
   * requests.
   */
  readonly randomSeed: number
  /** Memory of the graphics device; limits the batch of models that take whole texts at once. */
  readonly vramBytes?: number | undefined
}

type LoadFields = PartialMessage<ModelOptions>

/** Prefix of the names of stores in the contract. */
const STORE_PREFIX = 'store://'
const ALL_LAYERS = 99_999_999
const DEFAULT_BATCH = 512
const FALLBACK_CONTEXT = 4096
/** A batch may take this fraction of the graphics memory: a quarter. */
const VRAM_SHARE = 4
/** Bytes of a batch for each of its tokens and each token of context. */
const BYTES_PER_CELL = 16

/** Names of the contract for the two wire formats of upstreams. */
const PROVIDER_NAMES = { provider_a: 'openai', provider_b: 'anthropic' } as const

/**
 * Creates the LoadModel request of a model (§2.9). Call it with defaults filled in: it adds only those of the contract.
 *
 * @throws {SvcError} `internal`, code `model_file_unusable`, when the weights are known to be damaged
 */
export function toLoadRequest(config: ModelConfig, context: LoadRequestContext): LoadFields {
  if (config.weightsError !== undefined) {
    throw new SvcError('internal', config.weightsError, { code: 'model_file_unusable' })
  }
  return {
    ...toPlaceFields(config),
    ...toSizeFields(config, context),
    ...toEngineFields(config),
    ...toRopeFields(config),
    ...toLoraFields(config),
    ...toBatchEngineFields(config),
    ...toImageFields(config),
    Options: listOptions(config),
    Overrides: config.overrides,
    GrammarTriggers: (config.function.grammar?.triggers ?? []).map(({ word }) => ({ word })),
    EnableScore: config.knownUsecases.some((usecase) => usecase === 'score' || usecase === 'decisions'),
    Proxy: toProxy(config),
    Type: config.llm.type ?? toCanonicalBackend(config.backend).type,
    Tokenizer: config.parameters.tokenizer,
    AudioPath: config.tts.audioPath,
  }
}

function toPlaceFields(config: ModelConfig): LoadFields {
  const { folder, parameters, llm } = config
  const model = parameters.model ?? ''
  if (isStore(config)) return { Model: model || `${STORE_PREFIX}${config.name}`, ModelFile: '', ModelPath: folder }
  return {
    Model: model,
    ModelFile: findModelFile(config),
    ModelPath: folder,
    MMProj: inFolder(folder, llm.mmproj),
    DraftModel: inFolder(folder, llm.draftModel),
  }
}

/** The path of the weights, or of the folder of their snapshot; empty for a model without them. */
export function findModelFile({
  folder,
  parameters,
  artifacts,
}: Pick<ModelConfig, 'folder' | 'parameters' | 'artifacts'>): string {
  const file = findSnapshot(artifacts[0]) ?? parameters.model ?? ''
  return file === '' ? '' : join(folder, file)
}

/** Whether a model is a vector store, which has no weights: its `Model` names it. */
function isStore(config: ModelConfig): boolean {
  const model = config.parameters.model ?? ''
  return hasUsecase(config, 'stores') && (model === '' || model.startsWith(STORE_PREFIX))
}

function inFolder(folder: string, file: string | undefined): string | undefined {
  return file === undefined || file === '' ? undefined : join(folder, file)
}

/** Finds a managed snapshot under the models folder, or its main file when it has one. */
function findSnapshot(artifact: ModelConfig['artifacts'][number] | undefined): string | undefined {
  const { cacheKey, primaryFile } = artifact?.resolved ?? {}
  if (cacheKey === undefined || !/^[0-9a-f]{64}$/.test(cacheKey)) return undefined
  // The type of the source stays out of the path: a model file could lead out of the folder by it.
  const root = join('.artifacts', 'huggingface', cacheKey, 'snapshot')
  return primaryFile === undefined || !isSafeName(primaryFile) ? root : join(root, primaryFile)
}

function toSizeFields(config: ModelConfig, context: LoadRequestContext): LoadFields {
  const contextSize = toContextSize(config)
  const { seed = -1, batch } = config.parameters
  return {
    ContextSize: contextSize,
    NBatch: batch || chooseBatch(config, contextSize, context.vramBytes),
    Seed: seed === -1 ? context.randomSeed : seed,
    NGPULayers: config.llm.gpuLayers ?? ALL_LAYERS,
    Threads: config.threads !== undefined && config.threads > 0 ? config.threads : 1,
  }
}

function toContextSize({ contextSize }: ModelConfig): number {
  return contextSize !== undefined && contextSize > 0 ? contextSize : FALLBACK_CONTEXT
}

/** Models that score, embed or rank decode a whole text in one batch. */
function chooseBatch(config: ModelConfig, contextSize: number, vramBytes: number | undefined): number {
  const isWhole =
    config.knownUsecases.includes('score') || config.llm.embeddings === true || config.llm.reranking === true
  if (!isWhole) return DEFAULT_BATCH
  if (vramBytes === undefined || vramBytes <= 0) return contextSize
  const fitting = Math.floor(vramBytes / VRAM_SHARE / (contextSize * BYTES_PER_CELL))
  return Math.max(DEFAULT_BATCH, Math.min(contextSize, fitting))
}

function toEngineFields({ llm, f16, cuda, diffusers, backend }: ModelConfig): LoadFields {
  // This driver fails on mapped files.
  const canMap = !/intel|sycl/i.test(backend)
  return {
    F16Memory: f16,
    FlashAttention: llm.flashAttention ?? 'auto',
    MMap: canMap && (llm.mmap ?? false),
    MLock: llm.mmlock,
    LowVRAM: llm.lowVram,
    Embeddings: llm.embeddings,
    Reranking: llm.reranking,
    NUMA: llm.numa,
    NoMulMatQ: llm.noMulmatq,
    NoKVOffload: llm.noKvOffloading,
    CUDA: (cuda ?? false) || (diffusers.cuda ?? false),
    CacheTypeKey: llm.cacheTypeK,
    CacheTypeValue: llm.cacheTypeV,
    MainGPU: llm.mainGpu,
    TensorSplit: llm.tensorSplit,
    RMSNormEps: llm.rmsNormEps,
    NGQA: llm.ngqa,
    CFGScale: llm.cfgScale,
  }
}

function toRopeFields({ parameters, llm }: ModelConfig): LoadFields {
  return {
    RopeFreqBase: parameters.ropeFreqBase,
    RopeFreqScale: parameters.ropeFreqScale,
    RopeScaling: llm.ropeScaling,
    YarnExtFactor: llm.yarnExtFactor,
    YarnAttnFactor: llm.yarnAttnFactor,
    YarnBetaFast: llm.yarnBetaFast,
    YarnBetaSlow: llm.yarnBetaSlow,
  }
}

function toLoraFields({ llm }: ModelConfig): LoadFields {
  return {
    LoraAdapter: llm.loraAdapter,
    LoraAdapters: llm.loraAdapters,
    LoraBase: llm.loraBase,
    LoraScale: llm.loraScale,
    LoraScales: llm.loraScales,
  }
}

function toBatchEngineFields({ vllm }: ModelConfig): LoadFields {
  const { image, video, audio } = vllm.limitMmPerPrompt ?? {}
  return {
    Quantization: vllm.quantization,
    LoadFormat: vllm.loadFormat,
    DType: vllm.dtype,
    GPUMemoryUtilization: vllm.gpuMemoryUtilization,
    TrustRemoteCode: vllm.trustRemoteCode,
    EnforceEager: vllm.enforceEager,
    SwapSpace: vllm.swapSpace,
    MaxModelLen: vllm.maxModelLen,
    TensorParallelSize: vllm.tensorParallelSize,
    DisableLogStatus: vllm.disableLogStats,
    LimitImagePerPrompt: image,
    LimitVideoPerPrompt: video,
    LimitAudioPerPrompt: audio,
    EngineArgs: toJsonText(vllm.engineArgs),
  }
}

function toImageFields({ diffusers }: ModelConfig): LoadFields {
  return {
    PipelineType: diffusers.pipelineType,
    SchedulerType: diffusers.schedulerType,
    IMG2IMG: diffusers.img2img,
    CLIPModel: diffusers.clipModel,
    CLIPSubfolder: diffusers.clipSubfolder,
    CLIPSkip: diffusers.clipSkip,
    ControlNet: diffusers.controlNet,
  }
}

function toJsonText(values: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return values === undefined || Object.keys(values).length === 0 ? undefined : JSON.stringify(values)
}

/** Joins the options of the file, the paths of companion files, and the folder of saved slots. */
function listOptions(config: ModelConfig): readonly string[] {
  const { folder, options, artifacts } = config
  const texts = options.filter((option) => !isSlotOption(option))
  const add = (name: string, value: string) => {
    if (!texts.some((text) => text.split(':', 1)[0] === name)) texts.push(`${name}:${value}`)
  }
  for (const artifact of artifacts.slice(1)) {
    const path = findSnapshot(artifact)
    if (path !== undefined && artifact.name !== undefined) add(artifact.name, path)
  }
  // One option in one spelling, as engines know one or the other.
  const slots = isSlotSavingOff(config) ? undefined : readSlotSavePath(config)
  if (slots !== undefined) add('--slot-save-path', resolve(folder, slots))
  // The contract has no fields for these.
  const { realtimePipeline, translate, sampling, limitField, streamUsage, api } = leavesMachine(config)
    ? (config.proxy ?? {})
    : {}
  if (realtimePipeline) add('realtime_pipeline', realtimePipeline)
  if (translate !== undefined) add('translate', translate)
  if (sampling !== undefined) add('sampling', sampling)
  if (limitField !== undefined) add('limit_field', limitField)
  if (streamUsage !== undefined) add('stream_usage', String(streamUsage))
  if (api !== undefined) add('api', api)
  return texts
}

/** Gives the upstream of a model. Another instance knows the model by its local name unless the file has another. */
function toProxy(config: ModelConfig): LoadFields['Proxy'] {
  if (!leavesMachine(config)) return undefined
  const fields = toProxyFields(config.proxy ?? {})
  return livesUpstream(config) ? fields : { ...fields, upstreamModel: config.proxy?.upstreamModel || config.name }
}

function toProxyFields(proxy: ProxySettings): NonNullable<LoadFields['Proxy']> {
  return {
    upstreamUrl: proxy.upstreamUrl,
    mode: proxy.mode,
    provider: proxy.provider && PROVIDER_NAMES[proxy.provider],
    apiKeyEnv: proxy.apiKeyEnv,
    apiKeyFile: proxy.apiKeyFile,
    upstreamModel: proxy.upstreamModel,
    requestTimeoutSeconds: proxy.requestTimeoutSeconds,
    cachePrompt: proxy.cachePrompt,
  }
}
