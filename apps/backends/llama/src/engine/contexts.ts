import type {
  GgmlType,
  LlamaContextOptions,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaModel,
} from 'node-llama-cpp'
import { planContext } from './context-plan.ts'
import type { Embedder } from './embed.ts'
import { createGate } from './gate.ts'
import type { Generator } from './generate.ts'
import type { Log } from './log.ts'
import { chooseBite, createPace, measureSpeed, type Pace, PROBE_TOKENS } from './pace.ts'
import type { Runtime } from './runtime.ts'
import { createSlotPool } from './sequences.ts'
import type { ModelSettings } from './settings.ts'
import type { Tokenizer } from './tokenizer.ts'

/** What contexts are made from. */
export interface ContextSource {
  readonly runtime: Runtime
  readonly llamaModel: LlamaModel
  readonly tokenizer: Tokenizer
  readonly settings: ModelSettings
  /** Tokens one slot is to hold. */
  readonly contextSize: number
  readonly threads: number
  /** Bytes that contexts may take. */
  readonly budgetBytes: number
  readonly log: Log
}

const DEFAULT_BATCH_TOKENS = 512
const MAX_BATCH_TOKENS = 2048
const DEFAULT_EMBEDDING_TOKENS = 2048
/** Most memory that is spent on attention scores to do without flash attention. */
const MAX_SCORE_BYTES = 256 * 1024 * 1024

/** A context for generation with its slots. Lowers what was wished, with a warning, where memory is short. */
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
    // Memory was planned for already: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize: plan.contextSize,
    sequences: plan.slots,
    batchSize,
    flashAttention: toFlash(plan.contextSize),
    ...cacheTypes(settings),
  })
  const slots = Array.from({ length: plan.slots }, () => context.getSequence())
  const pool = createSlotPool(slots, { maxWaiting: settings.maxWaiting })
  const pace = await findPace(source, slots[0], batchSize)
  return {
    llamaModel,
    module: source.runtime.module,
    tokenizer,
    contextSize: plan.contextSize,
    pool,
    pace,
    gate: createGate(),
  }
}

/** A context for embeddings. A text must fit into one batch, so the batch sets its limit. */
export async function createEmbedder(source: ContextSource): Promise<Embedder> {
  const { llamaModel, settings, log } = source
  const wanted = settings.batchSize > 0 ? settings.batchSize : DEFAULT_EMBEDDING_TOKENS
  const plan = await planContext({
    contextSize: Math.min(wanted, source.contextSize),
    slots: 1,
    budgetBytes: source.budgetBytes,
    costBytes: (contextSize) =>
      estimateBytes(source, { contextSize, batchSize: contextSize, isEmbeddingContext: true }),
  })
  for (const warning of plan.warnings) log.warn(warning)
  const { contextSize } = plan
  const context: LlamaEmbeddingContext = await llamaModel.createEmbeddingContext({
    threads: source.threads,
    // Memory was planned for already: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize,
    batchSize: contextSize,
  })
  return {
    pool: createSlotPool([context], { maxWaiting: settings.maxWaiting }),
    contextSize,
    norm: settings.embeddingNorm,
  }
}

function chooseBatch(wished: number, contextSize: number): number {
  return Math.max(1, Math.min(wished > 0 ? wished : DEFAULT_BATCH_TOKENS, MAX_BATCH_TOKENS, contextSize))
}

/**
 * Whether to use flash attention where nobody asked: on a CPU it is the slower way (2 to 3 times for a small model
 * with a full context) and the only one that needs no room for the scores of a whole batch.
 */
export function chooseFlashAttention(
  { flashAttention, cacheTypeValue }: Pick<ModelSettings, 'flashAttention' | 'cacheTypeValue'>,
  { contextSize, batchSize, heads }: { contextSize: number; batchSize: number; heads: number },
): boolean | 'auto' {
  if (flashAttention !== 'auto') return flashAttention
  // The engine reads packed values in this way only.
  const packedValues = cacheTypeValue !== undefined && !/^B?F/.test(cacheTypeValue)
  const scoreBytes = contextSize * batchSize * heads * Float32Array.BYTES_PER_ELEMENT
  return packedValues || scoreBytes > MAX_SCORE_BYTES ? 'auto' : false
}

/** Heads of the widest layer; unknown counts as many. */
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
    modelGpuLayers: 0,
    kvCacheKeyType: toType(settings.cacheTypeKey),
    kvCacheValueType: toType(settings.cacheTypeValue),
  })
  return cpuRam + gpuVram
}

async function findPace(
  { llamaModel, tokenizer }: ContextSource,
  slot: LlamaContextSequence | undefined,
  batchSize: number,
): Promise<Pace> {
  const token = llamaModel.tokens.bos ?? llamaModel.tokens.eos ?? tokenizer.toTokens([0], 'probe')[0]
  const measurable = slot !== undefined && token !== undefined && slot.contextSize > PROBE_TOKENS
  return createPace(measurable ? chooseBite(await measureSpeed(slot, token), batchSize) : batchSize)
}
