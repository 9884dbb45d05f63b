import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { Metrics } from '../../../monitoring/metrics.ts'
import type { UsageRecorder } from '../../../monitoring/recorders.ts'
import type { Attribution } from '../../../spend/attribution.ts'
import { isUsed, type Usage } from '../../core/events.ts'
import type { ChargedTime } from '../../core/ledger.ts'
import type { RequestContext } from '../../core/ports.ts'

/** A failover target that failed before its first content. */
export interface FailedAttempt {
  readonly context: Pick<RequestContext, 'requestId' | 'route' | 'principal'>
  readonly requestedModel: string
  readonly target: ModelConfig
  /** Its length and its end. */
  readonly when: ChargedTime
  /** Figures that the target had counted. */
  readonly usage: Usage
  /** For whom the request is. @default nobody in particular */
  readonly attribution?: Attribution | undefined
}

/** Records the tokens and media of failed attempts. */
export interface FailedAttempts {
  /**
   * Records the figures of an attempt, because the target may bill them. The record has the correlation id of the
   * request; the request's own record has the figures of the target that serves it. An attempt without figures leaves
   * no record.
   */
  settle(attempt: FailedAttempt): void
}

/** Options of {@link createFailedAttempts}. */
export interface FailedAttemptsOptions {
  readonly usage: UsageRecorder
  readonly metrics: Pick<Metrics, 'countTokens' | 'server'>
}

/** Creates the recorder. Figures of failed attempts go to the same recorders as those of requests. */
export function createFailedAttempts({ usage, metrics }: FailedAttemptsOptions): FailedAttempts {
  return {
    settle({ context, requestedModel, target, when, usage: figures, attribution }) {
      if (!isUsed(figures)) return
      const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens, media } = figures
      metrics.countTokens('prompt', promptTokens)
      metrics.countTokens('completion', completionTokens)
      metrics.server.countMedia(target.name, media)
      usage.record({
        correlationId: context.requestId,
        endpoint: context.route.path,
        requestedModel,
        servedModel: target.name,
        principalId: context.principal.id,
        principal: context.principal,
        ...when,
        promptTokens,
        completionTokens,
        cachedTokens,
        cacheWriteTokens,
        reasoningTokens,
        media,
        isEstimated: false,
        model: target,
        promptMs: figures.promptMs,
        generationMs: figures.generationMs,
        attribution,
      })
    },
  }
}
