import type { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { RequestTrace } from '../../monitoring/traces/request-trace.ts'
import type { Attribution } from '../../spend/attribution.ts'
import { CallAccount, type CallAccountOptions } from './call-account.ts'
import { addUsage, isUsed, NO_USAGE, type ReplyWarning, type Usage } from './events.ts'

const NO_WARNINGS: ReadonlyMap<string, string> = new Map()

/** When a request or an attempt of it ended, for its cost. */
export interface ChargedTime {
  /** Milliseconds from the arrival of the request, or from the start of the attempt. */
  readonly durationMs: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Usage of one model by the calls of a request. */
export interface ModelUsage extends Pick<CallAccount, 'model' | 'usage' | 'isEstimated'> {
  /** The length and the time in a usage record of its own. @default those of the request */
  readonly when?: ChargedTime | undefined
}

/**
 * The account of one request: its calls of models and their usage. Records of usage and traces are made from it. A
 * request calls one model once, unless a target of a failover group fails or tools run between two calls.
 */
export class RequestLedger {
  /** The name that the client used, or the default of the route. */
  readonly requestedModel: string
  /** The name in the reply. */
  readonly replyModel: string
  /** The error that ended the reply after its first byte. */
  failure: SvcError | undefined
  /** The status of an upstream whose reply went to the client as it came. */
  upstreamStatus: number | undefined
  /** Monotonic milliseconds at which the model was asked; undefined before. */
  askedAt: number | undefined
  /** Monotonic milliseconds of the first token; undefined before, and for replies that are relayed. */
  firstTokenAt: number | undefined
  /** Whether a usage record was made of the request. */
  isRecorded = false
  /** The length and the time in the usage record, by which the request is charged; undefined without a record. */
  recordedWhen: ChargedTime | undefined
  /** Whether masked values are put back in the reply. */
  restores = false
  /** The figures of the kept reply that answers the request, which no model is asked for; they cost nothing. */
  replayed: Usage | undefined
  /** The trace of the request; undefined while tracing is off. */
  trace: RequestTrace | undefined
  /** The tokens that the request has reserved under the quotas of its caller. @default none */
  reservation: TurnReservation | undefined
  /** For whom the request is; undefined until the caller's rights are checked. */
  attribution: Attribution | undefined
  /** Headers that name the serving model. */
  readonly headers: Record<string, string> = {}
  readonly #resolved: ModelConfig
  readonly #calls: CallAccount[] = []
  #warnings: Map<string, string> | undefined
  #failedTokens = 0
  /** The use of failed targets, which may bill it. */
  readonly #failed: ModelUsage[] = []
  /** Whether a failed target has used anything. */
  #hasFailedUsage = false

  constructor(requestedModel: string, resolved: ModelConfig, replyModel: string = requestedModel) {
    this.requestedModel = requestedModel
    this.replyModel = replyModel
    this.#resolved = resolved
  }

  /** Opens the account of a call. Its model counts as the server of the request from now on. */
  open(model: ModelConfig, options: CallAccountOptions = {}): CallAccount {
    const account = new CallAccount(model, options)
    this.#calls.push(account)
    return account
  }

  /**
   * Drops the account of a failover target that failed before its first content.
   *
   * @param when the length and the end of the attempt, as in its usage record @default those of the request
   * @returns its figures
   */
  fail(account: CallAccount, when?: ChargedTime | undefined): Usage {
    const { usage } = account
    const place = this.#calls.lastIndexOf(account)
    if (place < 0) return NO_USAGE
    this.#calls.splice(place, 1)
    this.#failedTokens += usage.promptTokens + usage.completionTokens
    this.#hasFailedUsage ||= isUsed(usage)
    if (isUsed(usage)) this.#failed.push({ model: account.model, usage, isEstimated: account.isEstimated, when })
    return usage
  }

  /** The model of the last call: the resolved one, or the failover target that is being asked. */
  get servedModel(): ModelConfig {
    return this.#calls.at(-1)?.model ?? this.#resolved
  }

  /** The model that was found for the request: a failover group, where the serving one is a target of it. */
  get resolvedModel(): ModelConfig {
    return this.#resolved
  }

  /** The calls so far, in their order, without those of failed targets. */
  get calls(): readonly CallAccount[] {
    return this.#calls
  }

  /** Figures of all calls so far; complete once the reply has ended. */
  get usage(): Usage {
    return this.#calls.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)
  }

  /** The usage of each model that was called, or none of the resolved one. */
  get usageByModel(): readonly ModelUsage[] {
    const [first, second] = this.#calls
    if (first !== undefined && second === undefined) {
      return [{ model: first.model, usage: first.usage, isEstimated: first.isEstimated }]
    }
    const byModel = new Map<string, ModelUsage>()
    for (const { model, usage, isEstimated } of this.#calls) {
      const before = byModel.get(model.name)
      const sum = before === undefined ? usage : addUsage(before.usage, usage)
      byModel.set(model.name, { model, usage: sum, isEstimated: isEstimated || before?.isEstimated === true })
    }
    if (byModel.size === 0) return [{ model: this.#resolved, usage: NO_USAGE, isEstimated: false }]
    return [...byModel.values()]
  }

  /** Names the worker that has the model in the headers of the reply. */
  nameNode(name: string): void {
    this.headers['X-LocalAI-Node'] = encodeURI(name)
  }

  /** Names the serving model in the headers of the reply, because the client asked for another one. */
  showServed(name: string): void {
    // Header values allow only Latin letters; model names may hold any.
    this.headers['Served-Model'] = encodeURI(name)
  }

  /** Tokens of the calls so far, those of failed targets included. */
  get tokens(): number {
    const { promptTokens, completionTokens } = this.usage
    return promptTokens + completionTokens + this.#failedTokens
  }

  /**
   * Tokens that quotas count, those of failed targets included; undefined for a request that does not count. A request
   * that has used only media counts with no tokens.
   */
  get charge(): number | undefined {
    if (this.isRecorded) return this.tokens
    return this.#hasFailedUsage ? this.#failedTokens : undefined
  }

  /** What budgets count: the usage of each model that was called, that of failed targets included. */
  get chargedUsage(): readonly ModelUsage[] {
    return this.isRecorded && this.replayed === undefined ? this.usageSoFar : this.#failed
  }

  /** The usage of each model so far, that of failed targets included. */
  get usageSoFar(): readonly ModelUsage[] {
    return [...this.usageByModel, ...this.#failed]
  }

  /** Adds a warning. @returns whether it is the first of its code */
  warn({ code, message }: ReplyWarning): boolean {
    this.#warnings ??= new Map()
    if (this.#warnings.has(code)) return false
    this.#warnings.set(code, message)
    return true
  }

  /** Warnings of a reply that is delivered all the same: the first message of each code. */
  get warnings(): ReadonlyMap<string, string> {
    return this.#warnings ?? NO_WARNINGS
  }
}

/** The reservation of a request under the quotas of its caller, for a further call of a model. */
export interface TurnReservation {
  /** @param tokens of the calls so far and of the next one @throws {SvcError} `quota_exceeded` */
  renew(tokens: { readonly used: number; readonly next: number }): Promise<void>
}
