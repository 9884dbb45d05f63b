import { memoryUsage } from 'node:process'
import { RerankSupport, SlotSupport, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, describeHandlers, type ExtensionHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

const RERANK_SUPPORT = {
  none: RerankSupport.RERANK_SUPPORT_NONE,
  head: RerankSupport.RERANK_SUPPORT_HEAD,
  cosine: RerankSupport.RERANK_SUPPORT_COSINE,
} as const

/** Status. */
export function createStatusHandlers(host: ModelHost): Pick<BackendHandlers, 'status'> {
  return {
    status: () => ({
      state: readState(host),
      memory: {
        total: BigInt(memoryUsage.rss() + (host.current?.memoryBytes ?? 0)),
        breakdown: { weights: BigInt((host.current?.weightBytes ?? 0) * (host.current?.settings.parallel ?? 0)) },
      },
    }),
  }
}

/** Capabilities of the handlers, limited to the capabilities of the loaded model. */
export function createCapabilities(
  host: ModelHost,
  handlers: BackendHandlers,
): NonNullable<ExtensionHandlers['capabilities']> {
  return ({ modelIdentity }) => {
    const model = host.current
    if (model !== undefined) host.use(modelIdentity)
    return {
      ...describeHandlers(handlers),
      backend: 'onnx',
      inputModalities: [],
      embeddings: model?.head.task === 'embed',
      rerank: RERANK_SUPPORT[model?.ranking ?? 'none'],
      tokenClassification: model?.head.task === 'classify',
      slots: SlotSupport.SLOT_SUPPORT_NONE,
      contextSize: model?.maxTokens ?? 0,
      slotCount: model?.settings.parallel ?? 0,
      embeddingDimension: model?.dimension ?? 0,
    }
  }
}

function readState({ current }: ModelHost): StatusResponse_State {
  if (current === undefined || current.isLost) return StatusResponse_State.UNINITIALIZED
  return current.busy > 0 ? StatusResponse_State.BUSY : StatusResponse_State.READY
}
