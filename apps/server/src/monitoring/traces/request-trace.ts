import type { Principal } from '@svc/auth'
import type { SvcError } from '@svc/errors'
import { REQUEST_STAGES } from '@svc/wire/stages'
import type { Clock } from '../../ports.ts'
import { toPublicError } from '../../public-error.ts'
import { type MediaFigures, nameMediaFigures } from '../media-figures.ts'
import type { SpannedRequest } from '../spans/request-spans.ts'
import type { SpanScope } from '../spans/span-scope.ts'
import { type BodyBudget, KeptBody } from './kept-body.ts'
import type { RequestSample } from './summarize.ts'
import type { TraceSlot } from './trace-log.ts'

/** A request as its trace needs it. */
export interface TracedRequest {
  readonly requestId: string
  readonly route: {
    readonly path: string
    readonly method?: string | undefined
    readonly usecase?: string | undefined
  }
  readonly principal: Principal
  /** Monotonic milliseconds at arrival. */
  readonly startedAt: number
  /** Gives a header of the request by lower-case name. */
  header?(name: string): string | undefined
}

/** The account of a request, as its trace reads it. */
export interface TracedAccount {
  readonly requestedModel: string
  readonly servedModel: { readonly name: string }
  readonly usage: {
    readonly promptTokens: number
    readonly completionTokens: number
    readonly media?: MediaFigures | undefined
  }
  readonly failure: SvcError | undefined
  readonly upstreamStatus: number | undefined
}

/** Parts of a server that every trace uses. */
export interface RequestTraceParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Longest kept body. */
  readonly maxBodyBytes: number
  readonly budget: BodyBudget
  /** Gives the status of a reply to a failed request. */
  readonly toStatus: (error: SvcError) => number
  /** Whether tracing is still on. */
  readonly isOn: () => boolean
  readonly onEnd: (sample: RequestSample) => void
  /** The span of the request, where spans are sent. */
  readonly span?: SpanScope | undefined
  /** Takes the facts for spans, when the span is sampled. */
  readonly onSpan?: ((request: SpannedRequest) => void) | undefined
  /** Called when the request has ended. */
  readonly onLeave?: (() => void) | undefined
}

/** The end of a request. */
interface TraceEnd {
  readonly error: SvcError | undefined
  readonly endedAt: number
  readonly status: number
  readonly isFailed: boolean
}

const MAX_ERROR_LENGTH = 1024
const GONE = 499

/** The trace of a request under way. */
export class RequestTrace {
  /** The account, once the model is known. */
  account: TracedAccount | undefined
  readonly #request: TracedRequest
  readonly #parts: RequestTraceParts
  readonly #at: number
  readonly #requestBody: KeptBody
  readonly #replyBody: KeptBody
  readonly #phases: [name: string, startedAt: number][] = []
  #slot: TraceSlot | undefined
  #status = 0
  #contentType: string | undefined
  #firstByteAt: number | undefined
  #firstTokenAt: number | undefined
  #loadingSince: number | undefined
  #loadedAt: number | undefined
  #loadMs = 0

  constructor(request: TracedRequest, parts: RequestTraceParts) {
    const { clock, maxBodyBytes, budget } = parts
    this.#request = request
    this.#parts = parts
    this.#at = clock.now() - (clock.monotonic() - request.startedAt)
    this.#requestBody = new KeptBody(maxBodyBytes, budget)
    this.#replyBody = new KeptBody(maxBodyBytes, budget)
  }

  /** Whether bodies are kept. */
  get keepsBodies(): boolean {
    return this.#parts.maxBodyBytes > 0
  }

  /** The span of the request; undefined while no spans are sent. */
  get span(): SpanScope | undefined {
    return this.#parts.span
  }

  /** Takes the place of the trace in the log. Without one the request is not listed and not counted. */
  occupy(slot: TraceSlot): void {
    this.#slot = slot
  }

  /** Notes that a stage has begun, and that the one before it has ended. @param at monotonic milliseconds. @default now */
  enter(stage: string, at: number = this.#parts.clock.monotonic()): void {
    this.#phases.push([stage, at])
  }

  /** Notes that the request begins to wait for its model. */
  beginLoad(): void {
    this.#loadingSince = this.#parts.clock.monotonic()
  }

  /** Notes that the model is loaded. */
  endLoad(): void {
    if (this.#loadingSince === undefined) return
    this.#loadedAt = this.#parts.clock.monotonic()
    this.#loadMs += this.#loadedAt - this.#loadingSince
    this.#loadingSince = undefined
  }

  /** Notes that the model has written the first piece of its reply. */
  noteFirstToken(at: number = this.#parts.clock.monotonic()): void {
    this.#firstTokenAt ??= at
  }

  /** Keeps the request's body as the filter has left it. */
  keepRequest(bytes: Uint8Array): void {
    if (this.keepsBodies) this.#requestBody.add(bytes)
  }

  /** Notes the head of the reply. */
  beginReply(status: number, contentType: string | undefined): void {
    this.#status = status
    this.#contentType = contentType
    this.#firstByteAt ??= this.#parts.clock.monotonic()
  }

  /** Keeps a piece of the reply's body, as it is before masked values are put back. */
  keepReply(piece: string | Uint8Array, encoding?: 'utf8' | 'latin1'): void {
    if (this.keepsBodies) this.#replyBody.add(piece, encoding)
  }

  /** Gives the trace as JSON, without its bodies. */
  describe(id: string): string {
    return JSON.stringify(this.#describe(id, {}))
  }

  /** Ends the trace. @param thrown the error that ended the request before its reply; undefined without one */
  end(thrown: unknown): void {
    const error = thrown === undefined ? this.account?.failure : toPublicError(thrown)
    const endedAt = this.#parts.clock.monotonic()
    const status = this.#readStatus(thrown, error)
    const isInBand = thrown === undefined && error !== undefined && error.kind !== 'cancelled'
    const end = { error, endedAt, status, isFailed: status >= 500 || isInBand }
    this.#list(end)
    if (this.#parts.span?.isSampled === true) this.#parts.onSpan?.(this.#toSpanned(end, this.#parts.span))
    this.#requestBody.release()
    this.#replyBody.release()
    this.#parts.onLeave?.()
  }

  #list(end: TraceEnd): void {
    if (this.#slot === undefined) return
    if (!this.#parts.isOn()) {
      this.#slot.drop()
      return
    }
    const durationMs = end.endedAt - this.#request.startedAt
    this.#parts.onEnd({ at: Math.round(this.#at), durationMs, isFailed: end.isFailed })
    const bodies = [this.#requestBody.bytes, this.#replyBody.bytes]
    this.#slot.finish((id) => JSON.stringify(this.#describe(id, end)), bodies)
  }

  #toSpanned({ error, endedAt, status, isFailed }: TraceEnd, scope: SpanScope): SpannedRequest {
    const { requestId, route, startedAt } = this.#request
    const firstTokenAt = this.#firstTokenAt ?? this.#firstByteAt
    return {
      scope,
      requestId,
      method: route.method ?? 'POST',
      path: route.path,
      usecase: route.usecase,
      status,
      error,
      isFailed,
      account: this.account,
      startedAt: this.#at,
      durationMs: endedAt - startedAt,
      stages: this.#phases.map(([name, begunAt], index) => ({
        name,
        offsetMs: begunAt - startedAt,
        durationMs: (this.#phases[index + 1]?.[1] ?? endedAt) - begunAt,
      })),
      loadMs: this.#loadedAt === undefined ? undefined : this.#loadMs,
      firstTokenMs: firstTokenAt === undefined ? undefined : firstTokenAt - startedAt,
    }
  }

  #readStatus(thrown: unknown, error: SvcError | undefined): number {
    if (thrown !== undefined && error !== undefined) return this.#parts.toStatus(error)
    if (error?.kind === 'cancelled') return GONE
    return this.account?.upstreamStatus ?? (this.#status || 200)
  }

  #describe(id: string, end: Partial<TraceEnd>): object {
    const { requestId, route, principal, startedAt } = this.#request
    const { account } = this
    const until = end.endedAt ?? this.#parts.clock.monotonic()
    return {
      id,
      timestamp: new Date(this.#at).toISOString(),
      duration: toNanoseconds(until - startedAt),
      correlation_id: requestId,
      request: { method: route.method ?? 'POST', path: route.path, ...this.#requestBody.describe() },
      response: {
        status: end.status ?? 0,
        headers: this.#contentType === undefined ? {} : { 'content-type': this.#contentType },
        ...this.#replyBody.describe(),
      },
      ...(end.isFailed === true ? { failed: true } : {}),
      ...(end.error === undefined
        ? {}
        : { error: end.error.message.slice(0, MAX_ERROR_LENGTH), error_code: end.error.code }),
      user_id: principal.id,
      user_name: principal.name,
      ...(account === undefined
        ? {}
        : {
            model: account.requestedModel,
            served_model: account.servedModel.name,
            prompt_tokens: account.usage.promptTokens,
            completion_tokens: account.usage.completionTokens,
            ...nameMediaFigures(account.usage.media),
          }),
      phases: this.#describePhases(until),
    }
  }

  /** Milliseconds of each stage, of groups of stages, and from arrival to the first byte and token of the reply. */
  #describePhases(until: number): Record<string, number> {
    const { startedAt } = this.#request
    const ends = [...this.#phases.slice(1).map(([, begunAt]) => begunAt), until]
    const stages = this.#phases.map(([name, begunAt], index) => [name, (ends[index] ?? until) - begunAt] as const)
    const admission = stages.reduce((sum, [name, spent]) => (ADMISSION.has(name) ? sum + spent : sum), 0)
    const firstByte = this.#firstByteAt
    const firstToken = this.#firstTokenAt ?? firstByte
    const askedAt = this.#loadedAt ?? this.#phases.find(([name]) => name === 'model')?.[1]
    const spent: (readonly [name: string, milliseconds: number | undefined])[] = [
      ...stages,
      ['admission', admission],
      ['load', this.#loadedAt === undefined ? undefined : this.#loadMs],
      ['prompt', askedAt === undefined || firstToken === undefined ? undefined : firstToken - askedAt],
      ['first_byte', firstByte === undefined ? undefined : firstByte - startedAt],
      ['first_token', firstToken === undefined ? undefined : firstToken - startedAt],
      ['total', until - startedAt],
    ]
    return Object.fromEntries(spent.flatMap(([name, ms]) => (ms === undefined ? [] : [[name, toMs(ms)]])))
  }
}

/** Stages that settle whether a request may run. */
const ADMISSION: ReadonlySet<string> = new Set(
  Object.entries(REQUEST_STAGES).flatMap(([name, stage]) => ('isAdmission' in stage ? [name] : [])),
)

const toMs = (milliseconds: number): number => Math.round(Math.max(0, milliseconds) * 1000) / 1000

/** Whole nanoseconds. */
export const toNanoseconds = (milliseconds: number): number => Math.round(Math.max(0, milliseconds) * 1e6)
