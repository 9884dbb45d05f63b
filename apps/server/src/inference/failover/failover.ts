import { SvcError } from '@svc/errors'
import {
  type Candidate,
  callWithFailover,
  type FailoverRequest,
  streamWithFailover,
  TARGET_FULL,
  TARGET_SKIPPED,
} from '@svc/proxy/failover'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { listFailoverTargets } from '../../catalog/serving.ts'
import type { AuditSink } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import { fullModelWaitMs, type ModelSlots, rejectAdmission } from '../admission.ts'
import { NO_USAGE, type PredictionStep } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import type { Chains } from './chains.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { Prober } from './prober.ts'

/** Serves the models that have no backend of their own: others answer for them (`failover`). */
export interface Failover {
  /** Asks one target after the other; nobody else is asked once one has said something. */
  predict(exchange: Exchange, run: (model: ModelConfig) => AsyncIterable<PredictionStep>): AsyncIterable<PredictionStep>
  perform<Value>(exchange: Exchange, run: (model: ModelConfig) => Promise<Value>): Promise<Value>
}

/** What {@link createFailover} needs. */
export interface FailoverOptions {
  readonly chains: Chains
  /** The caps of the targets hold for what chains ask of them. */
  readonly slots: ModelSlots
  readonly prober: Pick<Prober, 'watch'>
  readonly failed: FailedAttempts
  /** Told of requests that found every target full. */
  readonly audit: AuditSink
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Puts chains between requests and the models that serve them. */
export function createFailover({ chains, slots, prober, failed, audit, clock }: FailoverOptions): Failover {
  const begin = (exchange: Exchange): { request: FailoverRequest; targetOf: (candidate: Candidate) => ModelConfig } => {
    const { model, call, document, writer } = exchange
    const group = chains.of(model)
    const targetOf = ({ model: name }: Candidate): ModelConfig => {
      const target = listFailoverTargets(model).find((one) => one.name === name)?.model
      if (target === undefined) throw skipped(`model "${name}" does not exist`)
      if (target.disabled) throw skipped(`model "${name}" is disabled`)
      return target
    }
    const onServed = (candidate: Candidate): void => {
      exchange.model = targetOf(candidate)
      // A header takes no more than Latin letters; names of models may be of any.
      writer.setHeader('Served-Model', encodeURI(candidate.model))
      if (candidate.note !== undefined) writer.setHeader('Failover', candidate.note)
    }
    const request = { group, bodyBytes: document.bytes.length, signal: call.signal, onServed }
    return { request, targetOf }
  }
  const place = ({ name, limits }: ModelConfig): (() => void) => {
    const release = slots.take(name, limits.maxConcurrent)
    if (release !== undefined) return release
    const retryAfterMs = fullModelWaitMs(limits)
    throw new SvcError('rate_limited', `model "${name}" is at capacity`, { code: TARGET_FULL, retryAfterMs })
  }
  /** Targets without room are to the client what one model without room is. */
  const toFailure = (thrown: unknown, { model: { name }, call }: Pick<Exchange, 'model' | 'call'>): unknown => {
    if (!SvcError.is(thrown) || thrown.code !== TARGET_FULL) return thrown
    const why = ': no target that could serve has room'
    return rejectAdmission({ model: name, call, why, retryAfterMs: thrown.retryAfterMs ?? 0 }, audit)
  }

  return {
    async *predict(exchange, run) {
      const { model, call } = exchange
      const { request, targetOf } = begin(exchange)
      let startedAt = 0
      async function* attempt(candidate: Candidate): AsyncGenerator<PredictionStep> {
        startedAt = clock.monotonic()
        const target = targetOf(candidate)
        const release = place(target)
        // Whoever leaves from here on was served by this one, whether or not it has said something.
        exchange.model = target
        try {
          for await (const step of run(target)) {
            // Steps may be held back for long: what they count is known from here on.
            if (step.type === 'progress' || step.type === 'usage') exchange.usage = step.usage
            yield step
          }
        } catch (error) {
          throw toTargetFailure(error)
        } finally {
          release()
        }
      }
      const onFailed = (candidate: Candidate): void => {
        exchange.model = model
        if (exchange.usage === NO_USAGE) return
        failed.settle(exchange, { target: targetOf(candidate), startedAt })
        exchange.usage = NO_USAGE
      }
      try {
        yield* streamWithFailover({ ...request, onFailed }, { attempt, isContent })
      } catch (error) {
        throw toFailure(error, { model, call })
      } finally {
        prober.watch(request.group, model)
      }
    },
    async perform(exchange, run) {
      const { model, call } = exchange
      const { request, targetOf } = begin(exchange)
      try {
        const onFailed = (): void => {
          exchange.model = model
        }
        return await callWithFailover({ ...request, onFailed }, async (candidate) => {
          const target = targetOf(candidate)
          const release = place(target)
          exchange.model = target
          try {
            return await run(target)
          } catch (error) {
            throw toTargetFailure(error)
          } finally {
            release()
          }
        })
      } catch (error) {
        throw toFailure(error, { model, call })
      } finally {
        prober.watch(request.group, model)
      }
    },
  }
}

function isContent(step: PredictionStep): boolean {
  if (step.type === 'text-delta' || step.type === 'reasoning-delta') return step.text !== ''
  return step.type === 'tool-call-start' || step.type === 'tool-call-delta'
}

/** Failures of a model here that another one need not have. */
const GONE: ReadonlySet<string> = new Set(['backend_stopped', 'model_load_failed'])

/** A model whose backend died or does not load is down, as is an upstream that cannot be reached. */
function toTargetFailure(thrown: unknown): unknown {
  if (!SvcError.is(thrown) || thrown.kind !== 'internal' || !GONE.has(thrown.code)) return thrown
  return new SvcError('unavailable', thrown.message, { code: thrown.code, cause: thrown })
}

function skipped(message: string): SvcError {
  return new SvcError('unavailable', message, { code: TARGET_SKIPPED })
}
