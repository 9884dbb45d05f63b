import { memoryUsage } from 'node:process'
import {
  type CapabilitiesReply,
  ChatSupport,
  type PartialMessage,
  RerankSupport,
  SlotSupport,
  StatusResponse_State,
} from '@svc/backend-client/proto'
import { type BackendHandlers, describeHandlers, type ExtensionHandlers } from '@svc/backend-kit'
import type { EngineModel } from '../engine/model.ts'
import type { Runtime } from '../engine/runtime.ts'
import { tokensPerSecond } from '../engine/usage.ts'
import type { ModelHost } from '../model-host.ts'

/** The parts of the process that these handlers describe. */
interface LlamaProcess {
  /** The engine, once it has started. */
  readonly runtime: Promise<Runtime>
  readonly host: ModelHost
}

/** Health, Status and GetMetrics. */
export function createStatusHandlers({
  host,
  runtime,
}: LlamaProcess): Pick<BackendHandlers, 'health' | 'status' | 'getMetrics'> {
  return {
    // Answers only after the engine has started, because a host loads as soon as it gets the answer.
    health: async () => {
      await runtime
      return { message: Buffer.from('OK') }
    },
    status: () => {
      const { ram = 0, vram = 0 } = host.current?.llamaModel.memoryUsage ?? {}
      const total = BigInt(memoryUsage.rss())
      return {
        state: readState(host.current),
        memory: { total: total + BigInt(vram), breakdown: { weights: BigInt(ram), vram: BigInt(vram) } },
      }
    },
    // The prompt itself is private.
    getMetrics: () => {
      const answer = host.use('').lastAnswer
      if (answer === undefined) return {}
      return {
        slotId: answer.slot,
        tokensPerSecond: tokensPerSecond(answer.usage),
        tokensGenerated: answer.usage.completionTokens,
        promptTokensProcessed: answer.usage.promptTokens - answer.usage.reusedTokens,
      }
    },
  }
}

/** Capabilities of the handlers, limited to the capabilities of the loaded model. */
export function createCapabilities(
  { host, runtime }: LlamaProcess,
  { handlers, extensions }: { readonly handlers: BackendHandlers; readonly extensions: ExtensionHandlers },
): NonNullable<ExtensionHandlers['capabilities']> {
  return async ({ modelIdentity }) => {
    const { version } = await runtime
    const model = host.current
    if (model !== undefined) host.use(modelIdentity)
    return {
      ...describeHandlers(handlers, extensions),
      backend: 'llama',
      version,
      inputModalities: [],
      ...describeModel(model),
    }
  }
}

const CHAT_SUPPORT = {
  none: ChatSupport.CHAT_SUPPORT_NONE,
  'without-tools': ChatSupport.CHAT_SUPPORT_WITHOUT_TOOLS,
  'with-tools': ChatSupport.CHAT_SUPPORT_WITH_TOOLS,
} as const

const RERANK_SUPPORT = {
  none: RerankSupport.RERANK_SUPPORT_NONE,
  head: RerankSupport.RERANK_SUPPORT_HEAD,
  cosine: RerankSupport.RERANK_SUPPORT_COSINE,
} as const

function describeModel(model: EngineModel | undefined): PartialMessage<CapabilitiesReply> {
  const canGenerate = model?.canGenerate ?? false
  return {
    embeddings: model?.canEmbed ?? false,
    rerank: RERANK_SUPPORT[model?.ranking ?? 'none'],
    scoring: model?.canScore ?? false,
    decisions: canGenerate,
    chat: model === undefined ? ChatSupport.CHAT_SUPPORT_UNSPECIFIED : CHAT_SUPPORT[model.chatTemplate.support],
    slots: describeSlots(model),
    grammar: canGenerate,
    logprobs: canGenerate,
    contextSize: model?.generator?.contextSize ?? model?.embedder?.contextSize ?? model?.ranker?.contextSize ?? 0,
    slotCount: model?.generator?.pool.slots.length ?? 0,
    embeddingDimension: model?.canEmbed === true ? model.llamaModel.embeddingVectorSize : 0,
  }
}

function describeSlots(model: EngineModel | undefined): SlotSupport {
  if (model?.canGenerate === false) return SlotSupport.SLOT_SUPPORT_NONE
  return model?.settings.slotFiles === true ? SlotSupport.SLOT_SUPPORT_ENABLED : SlotSupport.SLOT_SUPPORT_DISABLED
}

function readState(model: EngineModel | undefined): StatusResponse_State {
  if (model === undefined) return StatusResponse_State.UNINITIALIZED
  const busy = [model.generator, model.embedder, model.ranker].reduce((sum, part) => sum + (part?.pool.busy ?? 0), 0)
  return busy > 0 ? StatusResponse_State.BUSY : StatusResponse_State.READY
}
