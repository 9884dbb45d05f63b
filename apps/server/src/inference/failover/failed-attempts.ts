import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { UsageRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import type { Exchange } from '../exchange.ts'

/** What is kept of attempts that came to nothing. */
export interface FailedAttempts {
  /**
   * Counts what a target had counted before it failed: it may be billed all the same. The row has the correlation id of
   * the request, whose own row has the figures of the target that serves it. Nothing is counted where nothing is known.
   *
   * @param attempt.startedAt monotonic milliseconds
   */
  settle(exchange: AttemptExchange, attempt: { readonly target: ModelConfig; readonly startedAt: number }): void
}

type AttemptExchange = Pick<Exchange, 'requestedModel' | 'usage'> & {
  readonly call: Pick<Exchange['call'], 'requestId' | 'row' | 'principal'>
}

/** What {@link createFailedAttempts} needs. */
export interface FailedAttemptsOptions {
  readonly usage: UsageRecorder
  readonly metrics: Pick<Metrics, 'countTokens'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Puts figures of failed attempts where those of requests go. */
export function createFailedAttempts({ usage, metrics, clock }: FailedAttemptsOptions): FailedAttempts {
  return {
    settle({ requestedModel, usage: { promptTokens, completionTokens }, call }, { target, startedAt }) {
      if (promptTokens === 0 && completionTokens === 0) return
      metrics.countTokens('prompt', promptTokens)
      metrics.countTokens('completion', completionTokens)
      usage.record({
        correlationId: call.requestId,
        endpoint: call.row.path,
        requestedModel,
        servedModel: target.name,
        principalId: call.principal.id,
        durationMs: clock.monotonic() - startedAt,
        at: clock.now(),
        promptTokens,
        completionTokens,
      })
    },
  }
}
