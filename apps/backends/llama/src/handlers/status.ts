import { memoryUsage } from 'node:process'
import { type CapabilitiesReply, type PartialMessage, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, describeHandlers, type ExtensionHandlers } from '@svc/backend-kit'
import type { EngineModel } from '../engine/model.ts'
import { tokensPerSecond } from '../engine/usage.ts'
import type { ModelHost } from '../model-host.ts'

/** Health, Status and GetMetrics. */
export function createStatusHandlers(host: ModelHost): Pick<BackendHandlers, 'health' | 'status' | 'getMetrics'> {
  return {
    // Says so only when the engine has started: a host loads as soon as it sees this.
    health: async () => {
      await host.runtime
      return { message: Buffer.from('OK') }
    },
    status: () => {
      const weights = BigInt(host.current?.llamaModel.memoryUsage.ram ?? 0)
      const total = BigInt(memoryUsage.rss())
      return { state: readState(host.current), memory: { total, breakdown: { weights } } }
    },
    // The prompt itself is nobody's business.
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

/** Capabilities: what the handlers can do, narrowed to what the loaded model can. */
export function createCapabilities(
  host: ModelHost,
  handlers: BackendHandlers,
): NonNullable<ExtensionHandlers['capabilities']> {
  return async ({ modelIdentity }) => {
    const { version } = await host.runtime
    const model = host.current
    if (model !== undefined) host.use(modelIdentity)
    return {
      ...describeHandlers(handlers),
      backend: 'llama',
      version,
      inputModalities: [],
      ...(model === undefined ? { embeddings: false } : describeModel(model)),
    }
  }
}

function describeModel(model: EngineModel): PartialMessage<CapabilitiesReply> {
  return {
    embeddings: model.canEmbed,
    grammar: model.canGenerate,
    logprobs: model.canGenerate,
    contextSize: model.generator?.contextSize ?? model.embedder?.contextSize ?? 0,
    slotCount: model.generator?.pool.slots.length ?? 0,
    embeddingDimension: model.canEmbed ? model.llamaModel.embeddingVectorSize : 0,
  }
}

function readState(model: EngineModel | undefined): StatusResponse_State {
  if (model === undefined) return StatusResponse_State.UNINITIALIZED
  const busy = (model.generator?.pool.busy ?? 0) + (model.embedder?.pool.busy ?? 0)
  return busy > 0 ? StatusResponse_State.BUSY : StatusResponse_State.READY
}
