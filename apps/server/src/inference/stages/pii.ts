import type { JsonDocument } from '@svc/json'
import type { DocumentFormat } from '@svc/pii/documents'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { leavesMachine, listFailoverTargets } from '../../catalog/serving.ts'
import { CONVERSATION_HEADER } from '../../pii/conversation-id.ts'
import type { HiddenTexts } from '../../pii/hidden-text.ts'
import type { FilterableRequest, FilteredRequest, RequestFilter } from '../../pii/request-filter.ts'
import type { AbortSignalLike } from '../../ports.ts'
import { isSocketMessage, type ResolvedRequest, type Stages } from '../core/pipeline.ts'
import type { RequestContext } from '../core/ports.ts'

/** Filters the body by the policy of the resolved model. Masks become edits of the original bytes (§6.3). */
export function createPiiStage(filter: RequestFilter): Stages['pii'] {
  return (request) => {
    const { scanned } = request.context.route
    const isSocket = isSocketMessage(request)
    if (!scanned || !isScanned(request) || !filter.watches(request.filteredAs ?? request.model, { isSocket }))
      return UNFILTERED
    return filter.filter(new ScannedRequest(request, scanned))
  }
}

const UNFILTERED: FilteredRequest = { splices: [] }

/** Whether the format of the route is scanned for this model. */
function isScanned({ context, model, filteredAs }: ResolvedRequest): boolean {
  if (filteredAs !== undefined) return true
  // The requests of an agent are filtered by the policies of the models that it asks.
  if (model.serving.kind === 'agent') return false
  switch (context.route.scannedWhen ?? 'always') {
    case 'always':
      return true
    case 'elsewhere':
      return leavesMachine(model)
    case 'scan_rerank':
      return asks(model, 'scanRerank')
    case 'scan_media_prompts':
      return asks(model, 'scanMediaPrompts')
  }
}

/** Whether the file of the model, or of a target of its failover group, asks for the scan. */
function asks(model: ModelConfig, key: 'scanRerank' | 'scanMediaPrompts'): boolean {
  return [model, ...listFailoverTargets(model).map((target) => target.model)].some(({ pii }) => pii[key] === true)
}

/** A request for the filter. A class creates the signal only when it is read. */
class ScannedRequest implements FilterableRequest {
  readonly document: JsonDocument
  readonly format: DocumentFormat
  readonly model: ModelConfig
  readonly isSocket: boolean
  readonly hidden: HiddenTexts | undefined
  readonly fileNames: readonly string[]
  readonly correlationId: string
  readonly userId: string
  readonly abort: AbortSignalLike
  readonly keyId: string | undefined
  readonly #context: RequestContext
  readonly #format: ResolvedRequest['format']

  constructor(request: ResolvedRequest, format: DocumentFormat) {
    const { context, document } = request
    this.document = document.texts()
    this.format = format
    this.model = request.filteredAs ?? request.model
    this.isSocket = isSocketMessage(request)
    this.hidden = request.format.hiddenTexts?.(this.document)
    this.fileNames = document.files.map(({ filename }) => filename)
    this.correlationId = context.requestId
    this.userId = context.principal.id
    this.keyId = context.principal.apiKey?.id
    this.abort = context.abort
    this.#context = context
    this.#format = request.format
  }

  get conversationHeader(): string | undefined {
    return this.#context.header(CONVERSATION_HEADER)
  }

  get findConversation(): FilterableRequest['findConversation'] {
    // The responses of a peer are stored there.
    if (this.model.serving.kind === 'federated') return undefined
    return this.#format.findConversation?.bind(this.#format, this.document)
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }
}
