import { createSlotPool, type Log } from '@svc/backend-kit'
import type { GgmlType, LlamaContextOptions, LlamaEmbeddingContext, LlamaModel } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { createBatcher, type Sequence } from './batcher.ts'
import { planContext } from './context-plan.ts'
import type { Embedder } from './embed.ts'
import type { Generator } from './generate.ts'
import { type Native, type NativeContext, openNativeContext, openNativeEmbeddingContext } from './native.ts'
import { chooseBite, measureSpeed, PROBE_TOKENS } from './pace.ts'
import { createPrefixCache, type MemoryAbilities } from './prefix-cache.ts'
import type { Ranker } from './rank.ts'
import type { Runtime } from './runtime.ts'
import type { ModelSettings } from './settings.ts'
import type { TokenBytes } from './token-bytes.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Sources of contexts. */
export interface ContextSource {
  readonly runtime: Runtime
  readonly llamaModel: LlamaModel
  readonly tokenizer: Tokenizer
  readonly native: Native
  readonly tokenBytes: TokenBytes
  readonly settings: ModelSettings
  /** Wished tokens of one slot. */
  readonly contextSize: number
  readonly threads: number
  /** Whether each token of the model depends only on the tokens before it. */
  readonly causal: boolean
  /** Bytes available to contexts. */
  readonly budgetBytes: number
  readonly log: Log
}

const DEFAULT_BATCH_TOKENS = 512
const MAX_BATCH_TOKENS = 2048
const DEFAULT_EMBEDDING_TOKENS = 2048
/** Most memory for attention scores, used to avoid flash attention. */
const MAX_SCORE_BYTES = 256 * 1024 * 1024

/** Creates a context for generation with its slots. Lowers the wish, with a warning, when memory is short. */
export async function createGenerator(source: ContextSource): Promise<Generator> {
  const { llamaModel, settings, log, tokenizer } = source
  const batchSize = chooseBatch(settings.batchSize, source.contextSize)
  const toFlash = (contextSize: number): boolean | 'auto' =>
    chooseFlashAttention(settings, { contextSize, batchSize, heads: countHeads(llamaModel) })
  const plan = await planContext({
    contextSize: source.contextSize,
    slots: settings.slots,
    budgetBytes: source.budgetBytes,
    costBytes: (contextSize, sequences) =>
      estimateBytes(source, { contextSize, sequences, batchSize, flashAttention: toFlash(contextSize) }),
  })
  for (const warning of plan.warnings) log.warn(warning)

  const context = await llamaModel.createContext({
    threads: source.threads,
    // Memory is already planned: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize: plan.contextSize,
    sequences: plan.slots,
    batchSize,
    flashAttention: toFlash(plan.contextSize),
    swaFullCache: settings.swaFull,
    ...cacheTypes(settings),
    ...(settings.loras.length > 0 && { lora: { adapters: settings.loras.map((lora) => ({ ...lora })) } }),
  })
  const native = openNativeContext(context)
  const sequences = Array.from({ length: plan.slots }, (_, id): Sequence => ({ id, tokens: [] }))
  const biteTokens = await findBite(source, native, { batchSize: context.batchSize, contextSize: plan.contextSize })
  const batcher = createBatcher(native, { batchSize: context.batchSize, biteTokens })
  const abilities = findAbilities(llamaModel, settings)
  if (settings.trims && !abilities.canShift)
    log.warn('context_shift ignored: the memory of this model cannot be shifted')
  return {
    native: source.native,
    tokenBytes: source.tokenBytes,
    endToken: tokenizer.endTokens()[0],
    context: native,
    batcher,
    tokenizer,
    biteTokens,
    cache: createPrefixCache({ context: native, batcher, abilities }),
    pool: createSlotPool(sequences, { maxWaiting: settings.maxWaiting }),
    contextSize: plan.contextSize,
    trims: settings.trims && abilities.canShift,
    similarity: settings.similarity,
    // Keeps a reference: an unreferenced context can no longer be freed, and its model would wait for that for ever.
    close: async () => {
      await batcher.idle()
      await context.dispose()
    },
  }
}

/** Creates a context for embeddings. A text must fit into one batch, so the batch sets its limit. */
export async function createEmbedder(source: ContextSource): Promise<Embedder> {
  const { llamaModel, settings } = source
  if (settings.pooling === 'none' && !source.causal) {
    throw invalidRequest('pooling none is for models that read from left to right; this one reads a text at once')
  }
  const { contextSize } = await planSingle(source)
  const context: LlamaEmbeddingContext = await llamaModel.createEmbeddingContext({
    threads: source.threads,
    // Memory is already planned: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize,
    batchSize: contextSize,
  })
  return {
    pool: createSlotPool([context], { maxWaiting: settings.maxWaiting }),
    context: openNativeEmbeddingContext(context),
    tokenize: (text) => llamaModel.tokenize(text, false),
    contextSize,
    norm: settings.embeddingNorm,
    perToken: settings.pooling === 'none',
  }
}

/** Creates a context for pairs of texts, which are read one after the other. */
export async function createRanker(source: ContextSource): Promise<Ranker> {
  const { contextSize } = await planSingle(source)
  const context = await source.llamaModel.createRankingContext({
    threads: source.threads,
    // Memory is already planned: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize,
    batchSize: contextSize,
  })
  return { pool: createSlotPool([context], { maxWaiting: source.settings.maxWaiting }), contextSize }
}

/** Plans a context for one text in one batch. */
async function planSingle(source: ContextSource): Promise<{ readonly contextSize: number }> {
  const { settings, log } = source
  const wanted = settings.batchSize > 0 ? settings.batchSize : DEFAULT_EMBEDDING_TOKENS
  const plan = await planContext({
    contextSize: Math.min(wanted, source.contextSize),
    slots: 1,
    budgetBytes: source.budgetBytes,
    costBytes: (contextSize) =>
      estimateBytes(source, { contextSize, batchSize: contextSize, isEmbeddingContext: true }),
  })
  for (const warning of plan.warnings) log.warn(warning)
  return plan
}

function chooseBatch(wished: number, contextSize: number): number {
  return Math.max(1, Math.min(wished > 0 ? wished : DEFAULT_BATCH_TOKENS, MAX_BATCH_TOKENS, contextSize))
}

/**
 * Chooses flash attention by default. On a CPU it is the slower way (2 to 3 times for a small model with a full
 * context), but the only one that needs no memory for the scores of a whole batch.
 */
export function chooseFlashAttention(
  { flashAttention, cacheTypeValue }: Pick<ModelSettings, 'flashAttention' | 'cacheTypeValue'>,
  { contextSize, batchSize, heads }: { contextSize: number; batchSize: number; heads: number },
): boolean | 'auto' {
  if (flashAttention !== 'auto') return flashAttention
  // The engine reads packed values only with flash attention.
  const packedValues = cacheTypeValue !== undefined && !/^B?F/.test(cacheTypeValue)
  const scoreBytes = contextSize * batchSize * heads * Float32Array.BYTES_PER_ELEMENT
  return packedValues || scoreBytes > MAX_SCORE_BYTES ? 'auto' : false
}

/** Heads of the widest layer; an unknown number counts as many. */
function countHeads({ fileInfo }: LlamaModel): number {
  const heads = fileInfo.architectureMetadata.attention?.head_count
  if (heads === undefined) return Number.POSITIVE_INFINITY
  return Math.max(...[heads].flat().map(Number))
}

function cacheTypes({ cacheTypeKey, cacheTypeValue }: ModelSettings): LlamaContextOptions {
  return {
    ...(cacheTypeKey && { experimentalKvCacheKeyType: cacheTypeKey }),
    ...(cacheTypeValue && { experimentalKvCacheValueType: cacheTypeValue }),
  }
}

async function estimateBytes(
  { llamaModel, settings, runtime }: ContextSource,
  shape: Omit<Parameters<LlamaModel['fileInsights']['estimateContextResourceRequirementsV2']>[0], 'modelGpuLayers'>,
): Promise<number> {
  const toType = (name: ModelSettings['cacheTypeKey']): GgmlType => runtime.module.GgmlType[name ?? 'F16']
  const { cpuRam, gpuVram } = await llamaModel.fileInsights.estimateContextResourceRequirementsV2({
    ...shape,
    modelGpuLayers: llamaModel.gpuLayers,
    kvCacheKeyType: toType(settings.cacheTypeKey),
    kvCacheValueType: toType(settings.cacheTypeValue),
  })
  if (gpuVram === 0) return cpuRam
  const { free } = await runtime.llama.getVramState()
  return gpuVram > free ? Number.POSITIVE_INFINITY : cpuRam
}

async function findBite(
  { llamaModel, tokenizer }: ContextSource,
  context: NativeContext,
  { batchSize, contextSize }: { readonly batchSize: number; readonly contextSize: number },
): Promise<number> {
  const token = llamaModel.tokens.bos ?? llamaModel.tokens.eos ?? tokenizer.toTokens([0], 'probe')[0]
  const measurable = token !== undefined && contextSize > PROBE_TOKENS && batchSize >= PROBE_TOKENS
  return measurable ? chooseBite(await measureSpeed(context, token), batchSize) : batchSize
}

/** Architectures whose cache holds positions that cannot be moved. */
const UNMOVABLE = /^(deepseek2|deepseek2-ocr|minicpm3|plm)$/

function findAbilities({ fileInfo, fileInsights }: LlamaModel, { swaFull }: ModelSettings): MemoryAbilities {
  const summed = fileInsights.isRecurrent || fileInsights.isHybrid
  const window = swaFull ? undefined : fileInsights.swaSize
  const { architecture } = fileInfo.metadata.general
  // Positions of several dimensions: the engine aborts when they are shifted.
  const sections: unknown = Reflect.get(fileInfo.architectureMetadata.rope ?? {}, 'dimension_sections')
  const canShift = !summed && window === undefined && sections === undefined && !UNMOVABLE.test(architecture)
  return { window, canCut: !summed, canShift }
}
