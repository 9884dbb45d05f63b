import type { GgmlType, LlamaContextOptions, LlamaEmbeddingContext, LlamaModel } from 'node-llama-cpp'
import { planContext } from './context-plan.ts'
import type { Embedder } from './embed.ts'
import type { Generator } from './generate.ts'
import type { Log } from './log.ts'
import { measureBite } from './pace.ts'
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
const MAX_BATCH_TOKENS = 8192
const DEFAULT_EMBEDDING_TOKENS = 2048

/** A context for generation with its slots. Lowers what was wished, with a warning, where memory is short. */
export async function createGenerator(source: ContextSource): Promise<Generator> {
  const { llamaModel, settings, log, tokenizer } = source
  const batchSize = chooseBatch(settings.batchSize, source.contextSize)
  const costBytes = (contextSize: number, slots: number): Promise<number> =>
    estimateBytes(source, { contextSize, sequences: slots, batchSize })
  const { contextSize, budgetBytes } = source
  const plan = await planContext({ contextSize, slots: settings.slots, budgetBytes, costBytes })
  for (const warning of plan.warnings) log.warn(warning)

  const context = await llamaModel.createContext({
    threads: source.threads,
    // Memory was planned for already: the engine's own check would refuse by another measure.
    ignoreMemorySafetyChecks: true,
    contextSize: plan.contextSize,
    sequences: plan.slots,
    batchSize,
    flashAttention: settings.flashAttention,
    ...cacheTypes(settings),
  })
  const slots = Array.from({ length: plan.slots }, () => context.getSequence())
  const pool = createSlotPool(slots, { maxWaiting: settings.maxWaiting })
  const biteTokens = await measureSpeed(source, slots, Math.min(batchSize, plan.contextSize))
  return { llamaModel, module: source.runtime.module, tokenizer, contextSize: plan.contextSize, pool, biteTokens }
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

function cacheTypes({ cacheTypeKey, cacheTypeValue }: ModelSettings): LlamaContextOptions {
  return {
    ...(cacheTypeKey && { experimentalKvCacheKeyType: cacheTypeKey }),
    ...(cacheTypeValue && { experimentalKvCacheValueType: cacheTypeValue }),
  }
}

async function estimateBytes(
  { llamaModel, settings, runtime }: ContextSource,
  shape: { contextSize: number; batchSize: number; sequences?: number; isEmbeddingContext?: boolean },
): Promise<number> {
  const toType = (name: ModelSettings['cacheTypeKey']): GgmlType => runtime.module.GgmlType[name ?? 'F16']
  const { cpuRam, gpuVram } = await llamaModel.fileInsights.estimateContextResourceRequirementsV2({
    ...shape,
    modelGpuLayers: 0,
    flashAttention: settings.flashAttention,
    kvCacheKeyType: toType(settings.cacheTypeKey),
    kvCacheValueType: toType(settings.cacheTypeValue),
  })
  return cpuRam + gpuVram
}

async function measureSpeed(
  source: ContextSource,
  slots: Generator['pool']['slots'],
  batchSize: number,
): Promise<number> {
  const [first] = slots
  const token =
    source.llamaModel.tokens.bos ?? source.llamaModel.tokens.eos ?? source.tokenizer.toTokens([0], 'probe')[0]
  if (first === undefined || token === undefined) return batchSize
  return await measureBite(first, token, batchSize)
}
