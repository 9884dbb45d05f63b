import {
  backendMethods,
  type CapabilitiesReply,
  extensionMethods,
  type PartialMessage,
  RerankSupport,
  SlotSupport,
} from '@svc/backend-client/proto'
import type { BackendHandlers, ExtensionHandlers } from './handlers.ts'

/**
 * Describes a backend by its handlers. A backend whose abilities depend on the loaded model answers Capabilities
 * itself, from this and its own knowledge.
 */
export function describeHandlers(
  handlers: BackendHandlers,
  extensions: ExtensionHandlers = {},
): PartialMessage<CapabilitiesReply> {
  return {
    rpcs: rpcNames(backendMethods, { ...handlers, health: true }),
    extensionRpcs: rpcNames(extensionMethods, { ...extensions, capabilities: true }),
    slots:
      extensions.saveSlot && extensions.restoreSlot ? SlotSupport.SLOT_SUPPORT_ENABLED : SlotSupport.SLOT_SUPPORT_NONE,
    rerank: handlers.rerank ? RerankSupport.RERANK_SUPPORT_HEAD : RerankSupport.RERANK_SUPPORT_NONE,
    decisions: extensions.decide !== undefined,
    scoring: handlers.score !== undefined,
    embeddings: handlers.embedding !== undefined,
    tokenClassification: handlers.tokenClassify !== undefined,
  }
}

function rpcNames(
  methods: Readonly<Record<string, { readonly path: string }>>,
  present: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(methods)
    .filter(([name]) => present[name] !== undefined)
    .map(([, { path }]) => path.slice(path.lastIndexOf('/') + 1))
}
