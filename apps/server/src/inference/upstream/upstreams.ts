import { SvcError } from '@svc/errors'
import type { PushUpstream } from '@svc/http-client'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PredictionStep, Usage } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import { isGeneration } from '../inference-request.ts'
import type { CloudModels } from './cloud-models.ts'
import { relayExchange } from './relay-exchange.ts'
import { translatePrediction } from './translate-exchange.ts'

/** Serves the models that live upstream (§6.5). */
export interface Upstreams {
  /** Relays a request and writes its reply. @throws {SvcError} whatever fails before the reply has begun */
  relay(exchange: Exchange): Promise<void>
  /** Asks in the format of the upstream; nothing is sent before the first pull. @param model @default the exchange's */
  predict(exchange: Exchange, model?: ModelConfig): AsyncIterable<PredictionStep>
}

/** What {@link createUpstreams} needs. */
export interface UpstreamsOptions {
  readonly models: CloudModels
  readonly upstream: PushUpstream
  /** What clients are told inside of streams while they may learn nothing of a failure. */
  readonly opaque: SvcError | undefined
}

/** Puts the two ways upstream together. */
export function createUpstreams(parts: UpstreamsOptions): Upstreams {
  return {
    relay: (exchange) => relayExchange(exchange, parts),
    predict(exchange, model = exchange.model) {
      const { upstreamChat, request, call } = exchange
      if (upstreamChat === undefined || !isGeneration(request)) {
        throw new SvcError('internal', 'the parse stage left nothing for the upstream', { code: 'stage_order' })
      }
      const options = {
        model,
        signal: call.signal,
        stream: request.stream,
        client: (name: string) => call.header(name),
        onUsage: (usage: Usage) => {
          exchange.usage = usage
        },
      }
      return translatePrediction(upstreamChat, options, parts)
    },
  }
}
