import { toSvcError } from '@svc/errors'
import type { TokenMap } from '@svc/pii/reversible'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { leavesMachine } from '../../catalog/serving.ts'
import { hasModelServers } from '../../mcp/model-texts.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { UsageRecorder } from '../../monitoring/recorders.ts'
import type { Clock, MaybePromise } from '../../ports.ts'
import { type EndUserNaming, hideFilteredName } from '../../spend/attribution.ts'
import { estimatePrompt } from '../core/estimate-tokens.ts'
import { isUsed, type ReplyWarning } from '../core/events.ts'
import { createLanes } from '../core/lanes.ts'
import { mapBatches } from '../core/map-batches.ts'
import type { ModelCalls, ModelTask } from '../core/model-calls.ts'
import type { Cleanup, ModelRequest, Stages } from '../core/pipeline.ts'
import { restoreValue } from '../core/restore-value.ts'
import { createTurns } from '../core/turns.ts'
import type { Reply } from '../replies/reply.ts'
import type { FormattedCall, OperationCall } from '../replies/wire-format.ts'
import { CACHE_HEADER, keepsReplies, type ResponseCache } from '../response-cache/response-cache.ts'
import type { RelayUpstream } from '../serving/upstream/relay.ts'
import { traceSteps } from '../tracing/trace-reply.ts'
import { isWithoutTokens } from './access.ts'

/** Options of {@link createModelStage}. */
export interface ModelStageOptions {
  readonly models: ModelCalls
  readonly relay: RelayUpstream
  readonly usage: UsageRecorder
  readonly metrics: Metrics
  readonly clock: Clock
  /** Hides end users whom the PII filter hides. @default they are left out */
  readonly endUsers?: Pick<EndUserNaming, 'hash'> | undefined
  /** @default no replies are kept */
  readonly cache?: ResponseCache | undefined
}

/** Asks the model, sends its events through the lanes, and records the request at every kind of end. */
export function createModelStage(options: ModelStageOptions): Stages['model'] {
  return (asked, cleanup) => {
    const { filtered, ledger, parsed, request } = asked
    const { context } = request
    ledger.attribution = hideFilteredName(ledger.attribution, filtered.splices, options.endUsers)
    ledger.restores = findRestoration(asked) !== undefined
    ledger.askedAt = options.clock.monotonic()
    cleanup.add((thrown) => {
      record(asked, thrown, options)
    })
    if (keepsReplies(request.model) && parsed?.call.kind !== 'generation') ledger.headers[CACHE_HEADER] = 'skip'
    if (parsed === undefined) {
      return { kind: 'relayed', context, ledger, relayTo: (target) => options.relay(asked, target) }
    }
    return askModel(asked, parsed.call, { ...options, cleanup })
  }
}

function askModel(
  asked: ModelRequest,
  call: FormattedCall,
  options: ModelStageOptions & { readonly cleanup: Cleanup },
): MaybePromise<Reply> {
  const { ledger, filtered, parsed, request } = asked
  const { context, model } = request
  const task: ModelTask = {
    context,
    ledger,
    upstreamChat: parsed?.upstreamChat,
    bodyBytes: request.document.texts().bytes.length,
    turns: createTurns({ ledger, filtered }),
  }
  for (const warning of listWarnings(call)) ledger.warn(warning)
  if (call.kind === 'operation') {
    return perform(call, { model, task, restoration: filtered.restoration, ...options })
  }
  const lanes = createLanes({
    restoration: findRestoration(asked),
    onWarning(warning) {
      if (warning.code === 'answer_form_mismatch') options.metrics.countFormMismatch()
      const fields = { code: warning.code, model: ledger.servedModel.name }
      if (ledger.warn(warning)) context.log.warn(fields, 'reply carries a warning')
    },
  })
  const predict = () => options.models.predict(call.request, model, task)
  const { cache } = options
  const predicted =
    cache !== undefined && keepsReplies(model)
      ? cache.predict({ asked, request: call.request, runsTools: takesTurns(call, model), predict })
      : predict()
  const { trace, restores } = ledger
  const steps = trace?.keepsBodies && restores ? traceSteps(predicted, trace) : predicted
  let isFirst = true
  const batches = mapBatches(steps, (batch) => {
    const events = lanes(batch)
    // A kept reply tells nothing about the speed of its model.
    if (isFirst && events.length > 0 && ledger.replayed === undefined) {
      isFirst = false
      const now = options.clock.monotonic()
      ledger.firstTokenAt = now
      const seconds = (now - context.startedAt) / 1000
      options.metrics.server.observeFirstToken(ledger.servedModel.name, seconds)
      trace?.noteFirstToken()
    }
    return events
  })
  return { kind: 'events', context, ledger, call, batches }
}

async function perform(
  call: OperationCall,
  {
    models,
    model,
    task,
    restoration,
    cleanup,
  }: Pick<ModelStageOptions, 'models'> & {
    readonly model: ModelConfig
    readonly task: ModelTask
    readonly restoration: TokenMap | undefined
    readonly cleanup: Cleanup
  },
): Promise<Reply> {
  const result = await call.perform(async (one) => {
    const done = await models.perform(one, model, task)
    if (done.release !== undefined) cleanup.add(done.release)
    return done
  })
  const { context, ledger } = task
  // A ranking repeats texts of its request.
  if (restoration === undefined || result.kind !== 'json' || call.request.kind !== 'rerank') {
    return { ...result, context, ledger }
  }
  return { kind: 'json', body: (facts) => restoreValue(restoration, result.body(facts)), context, ledger }
}

/** Gives the values to restore in the reply. Later turns may mask some where the request itself has none. */
function findRestoration({ filtered, parsed, request }: ModelRequest): TokenMap | undefined {
  const { restoration, later } = filtered
  return restoration ?? (parsed !== undefined && takesTurns(parsed.call, request.model) ? later?.masks : undefined)
}

/** Whether the model may be called again before the reply ends. */
function takesTurns(call: FormattedCall, model: ModelConfig): boolean {
  if (call.kind !== 'generation' || call.takesTurns !== true) return false
  if (call.request.kind !== 'chat' || call.request.hostedTools === undefined) return true
  const { hostedTools } = call.request
  return hasModelServers(model) || hostedTools.some((tool) => !(tool.kind === 'model-servers' && tool.ifAny === true))
}

/** Warnings about the request itself. */
function listWarnings({ request }: FormattedCall): readonly ReplyWarning[] {
  if (request.kind === 'count') return request.chat.warnings ?? []
  return request.kind === 'chat' || request.kind === 'completion' ? (request.warnings ?? []) : []
}

function record(asked: ModelRequest, thrown: unknown, options: ModelStageOptions): void {
  const { ledger, request } = asked
  const { context } = request
  const failure = thrown === undefined ? ledger.failure : toSvcError(thrown)
  const refused = (ledger.upstreamStatus ?? 200) >= 400
  // A reply that has begun, or whose client did not wait for it, has been paid for.
  if (!refused && (thrown === undefined || failure?.kind === 'cancelled')) estimate(asked)
  const { usage: used } = ledger
  options.metrics.countTokens('prompt', used.promptTokens)
  options.metrics.countTokens('completion', used.completionTokens)
  // Everything that was used before the reply broke off is recorded (threats CP-5).
  if (refused || !(failure === undefined || failure.kind === 'cancelled' || isUsed(used))) return
  ledger.isRecorded = true
  const durationMs = options.clock.monotonic() - context.startedAt
  const at = options.clock.now()
  ledger.recordedWhen = { durationMs, at }
  for (const { model, usage, isEstimated } of ledger.usageByModel) {
    options.usage.record({
      correlationId: context.requestId,
      endpoint: context.route.path,
      requestedModel: ledger.requestedModel,
      servedModel: model.name,
      principalId: context.principal.id,
      durationMs,
      at,
      principal: context.principal,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      cachedTokens: usage.cachedTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      media: usage.media,
      isEstimated,
      isReplayed: ledger.replayed !== undefined,
      model,
      promptMs: usage.promptMs,
      generationMs: usage.generationMs,
      attribution: ledger.attribution,
    })
  }
}

/**
 * Completes the figures of models that others serve: upstreams leave some out. The prompt of a later call holds the
 * answers before it.
 */
function estimate({ ledger, parsed, request: { document, context } }: ModelRequest): void {
  if (isWithoutTokens(context.route.usecase)) return
  if (parsed !== undefined && parsed.call.kind !== 'generation') return
  let answers = 0
  for (const account of ledger.calls) {
    const before = answers
    if (leavesMachine(account.model)) account.estimateMissing(() => estimatePrompt(document.texts()) + before)
    answers += account.usage.completionTokens
  }
}
