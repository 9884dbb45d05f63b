import type { RequestFilter } from '../../pii/request-filter.ts'
import type { Stage } from '../pipeline.ts'

/** Filters the body by the policy of the resolved model; what is masked becomes an edit of the original bytes (§6.3). */
export function piiStage(filter: RequestFilter): Stage {
  return async (exchange, next) => {
    const { call, codec, document, model, transport } = exchange
    const { scanned } = call.row
    const isSocket = transport === 'websocket'
    if (scanned && filter.watches(model, { isSocket })) {
      const { splices, restoration } = await filter.filter({
        document,
        format: scanned,
        model,
        isSocket,
        hidden: codec.hiddenTexts?.(document),
        correlationId: call.requestId,
        userId: call.principal.id,
        signal: call.signal,
      })
      exchange.splices.push(...splices)
      exchange.restoration = restoration
    }
    await next()
  }
}
