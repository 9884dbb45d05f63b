import type { SvcError } from '@svc/errors'
import { type MediaFigures, nameMediaFigures } from '../media-figures.ts'
import type { FinishedSpan, SpanAttributes } from './finished-span.ts'
import type { SpanScope } from './span-scope.ts'

/** A finished request as its spans need it. None of it is text that a client wrote. */
export interface SpannedRequest {
  readonly scope: SpanScope
  readonly requestId: string
  readonly method: string
  /** Route pattern. */
  readonly path: string
  readonly usecase: string | undefined
  readonly status: number
  readonly error: SvcError | undefined
  readonly isFailed: boolean
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number
  readonly durationMs: number
  /** Stages in their order, with milliseconds from the arrival of the request. */
  readonly stages: readonly { readonly name: string; readonly offsetMs: number; readonly durationMs: number }[]
  readonly loadMs: number | undefined
  /** Time from the arrival of the request. */
  readonly firstTokenMs: number | undefined
  readonly account: SpannedAccount | undefined
}

/** Models, tokens and media of a request. */
export interface SpannedAccount {
  readonly requestedModel: string
  readonly servedModel: { readonly name: string }
  readonly usage: {
    readonly promptTokens: number
    readonly completionTokens: number
    readonly media?: MediaFigures | undefined
  }
}

/** A stage that took less has no span: most stages are a few microseconds, and a span costs as much. */
const MIN_STAGE_MS = 0.1

/** Operations by the uses of models, in the words of the conventions for generative models. */
const OPERATIONS: Readonly<Record<string, string>> = { completion: 'text_completion', edit: 'text_completion' }

/** Gives the name of an operation in the conventions. */
export const toOperation = (use: string): string => OPERATIONS[use] ?? use

/** Makes the spans of a request: its own, and those of its longer stages. */
export function toRequestSpans(request: SpannedRequest): readonly FinishedSpan[] {
  const { scope, method, path, status, startedAt, durationMs, isFailed, account, usecase } = request
  const own: FinishedSpan = {
    scope,
    name: `${method} ${path}`,
    kind: 'server',
    startedAt,
    durationMs,
    isFailed,
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'http.response.status_code': status,
      'error.type': status >= 400 || isFailed ? toErrorType(request.error, status) : undefined,
      'gen_ai.operation.name': usecase === undefined ? undefined : toOperation(usecase),
      'gen_ai.request.model': account?.requestedModel,
      'gen_ai.response.model': account?.servedModel.name,
      'gen_ai.usage.input_tokens': account?.usage.promptTokens,
      'gen_ai.usage.output_tokens': account?.usage.completionTokens,
      ...nameOwn(nameMediaFigures(account?.usage.media)),
      'svc.correlation_id': request.requestId,
      'svc.load_ms': request.loadMs,
      'svc.first_token_ms': request.firstTokenMs,
    },
  }
  const stages = request.stages.filter((stage) => stage.durationMs >= MIN_STAGE_MS)
  return [
    own,
    ...stages.map(
      (stage): FinishedSpan => ({
        scope: scope.child(),
        name: `stage ${stage.name}`,
        kind: 'internal',
        startedAt: startedAt + stage.offsetMs,
        durationMs: stage.durationMs,
        isFailed: false,
        attributes: { 'svc.stage': stage.name },
      }),
    ),
  ]
}

/** A call to a backend or an upstream as its span needs it. */
export interface SpannedCall {
  readonly scope: SpanScope
  /** Kind of the call, such as `llm`. */
  readonly type: string
  /** Name of the operation in the conventions. @default the kind of the call */
  readonly operation: string | undefined
  readonly modelName: string
  readonly backend: string
  readonly correlationId: string | undefined
  readonly startedAt: number
  readonly durationMs: number
  readonly error: SvcError | undefined
  readonly data: SpanAttributes
}

const CALL_OPERATIONS: Readonly<Record<string, string>> = { llm: 'chat', embedding: 'embeddings' }
/** Figures of a call with a name in the conventions. */
const FIGURES: Readonly<Record<string, string>> = {
  prompt_tokens: 'gen_ai.usage.input_tokens',
  completion_tokens: 'gen_ai.usage.output_tokens',
  status: 'http.response.status_code',
}

/** Makes the span of a call. */
export function toCallSpan(call: SpannedCall): FinishedSpan {
  const operation = call.operation ?? CALL_OPERATIONS[call.type] ?? call.type
  const figures = Object.entries(call.data).filter(([, value]) => typeof value !== 'string')
  return {
    scope: call.scope,
    name: `${operation} ${call.modelName}`,
    kind: 'client',
    startedAt: call.startedAt,
    durationMs: call.durationMs,
    isFailed: call.error !== undefined,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': call.backend,
      'gen_ai.request.model': call.modelName,
      'error.type': call.error && toErrorType(call.error, undefined),
      'svc.call': call.type,
      'svc.correlation_id': call.correlationId,
      ...nameOwn(Object.fromEntries(figures)),
    },
  }
}

/** Names figures as the conventions do, and those without a name there as figures of this server. */
function nameOwn(figures: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [FIGURES[name] ?? `svc.${name}`, value]))
}

/** A code of the server; never words of an upstream. */
function toErrorType(error: SvcError | undefined, status: number | undefined): string {
  if (error !== undefined && /^[a-z][a-z0-9_]{0,63}$/.test(error.code)) return error.code
  return error?.kind ?? String(status ?? '_OTHER')
}
