import type { JsonDocument } from '@svc/json'
import type { DocumentFormat } from '@svc/pii/documents'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { leavesMachine, listFailoverTargets } from '../../catalog/serving.ts'
import type { HiddenTexts } from '../../pii/hidden-text.ts'
import type { FilterableRequest, FilteredRequest, RequestFilter } from '../../pii/request-filter.ts'
import type { Ending } from '../../ports.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import type { RequestContext } from '../ports.ts'

/** Filters the body by the policy of the resolved model; what is masked becomes an edit of the original bytes (§6.3). */
export function piiStage(filter: RequestFilter): Stage {
  return (exchange) => {
    const { scanned } = exchange.call.row
    const isSocket = exchange.transport === 'websocket'
    if (!scanned || !isScanned(exchange) || !filter.watches(exchange.model, { isSocket })) return undefined
    const filtered = filter.filter(new ScannedRequest(exchange, scanned))
    if (filtered instanceof Promise) return filtered.then((later) => leave(exchange, later))
    leave(exchange, filtered)
    return undefined
  }
}

/** Whether the row's format counts for this model. */
function isScanned({ call, model }: Exchange): boolean {
  switch (call.row.scannedWhen ?? 'always') {
    case 'always':
      return true
    case 'elsewhere':
      return leavesMachine(model)
    case 'asked':
      return [model, ...listFailoverTargets(model).map((target) => target.model)].some(
        ({ pii }) => pii.scanRerank === true,
      )
  }
}

function leave(exchange: Exchange, { splices, restoration }: FilteredRequest): void {
  exchange.splices.push(...splices)
  exchange.restoration = restoration
}

/** A request for the filter. A class: its signal is made when somebody reads it. */
class ScannedRequest implements FilterableRequest {
  readonly document: JsonDocument
  readonly format: DocumentFormat
  readonly model: ModelConfig
  readonly isSocket: boolean
  readonly hidden: HiddenTexts | undefined
  readonly correlationId: string
  readonly userId: string
  readonly ending: Ending
  readonly #call: RequestContext

  constructor({ call, codec, document, model, transport }: Exchange, format: DocumentFormat) {
    this.document = document
    this.format = format
    this.model = model
    this.isSocket = transport === 'websocket'
    this.hidden = codec.hiddenTexts?.(document)
    this.correlationId = call.requestId
    this.userId = call.principal.id
    this.ending = call.ending
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }
}
