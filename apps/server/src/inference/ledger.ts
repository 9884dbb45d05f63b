import type { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { RequestTrace } from '../monitoring/traces/request-trace.ts'
import { estimateText } from './estimate-tokens.ts'
import { NO_USAGE, type ReplyWarning, type Usage } from './events.ts'

/** The account of one request: the serving model and the usage. Records of usage and traces are made from it. */
export class RequestLedger {
  /** The name that the client used, or the default of the route. */
  readonly requestedModel: string
  /** The name in the reply. */
  readonly replyModel: string
  /** The serving model: the resolved one, or the failover target that is being asked. */
  servedModel: ModelConfig
  /** Whether a part of the figures is an estimate. */
  isEstimated = false
  /** The error that ended the reply after its first byte. */
  failure: SvcError | undefined
  /** The status of an upstream whose reply went to the client as it came. */
  upstreamStatus: number | undefined
  /** Warnings of a reply that is delivered all the same: the first message of each code. */
  readonly warnings = new Map<string, string>()
  /** Whether a usage record was made of the request. */
  isRecorded = false
  /** Whether masked values are put back in the reply. */
  restores = false
  /** The trace of the request; undefined while tracing is off. */
  trace: RequestTrace | undefined
  /** Headers that name the serving model. */
  readonly headers: Record<string, string> = {}
  readonly #resolved: ModelConfig
  #usage: Usage = NO_USAGE
  #failedTokens = 0
  /** Bytes of the answer so far, and those behind the last figures. */
  #answerBytes = 0
  #uncountedBytes = 0

  constructor(requestedModel: string, resolved: ModelConfig, replyModel: string = requestedModel) {
    this.requestedModel = requestedModel
    this.replyModel = replyModel
    this.servedModel = resolved
    this.#resolved = resolved
  }

  /** Figures so far; complete once the reply has ended. */
  get usage(): Usage {
    return this.#usage
  }

  /** Takes figures of the server of the model: running totals. Figures of nothing change nothing. */
  count(usage: Usage): void {
    if (usage.promptTokens === 0 && usage.completionTokens === 0) return
    const { promptTokens, completionTokens } = this.#usage
    if (usage.promptTokens !== promptTokens || usage.completionTokens !== completionTokens) this.#uncountedBytes = 0
    this.#usage = usage
  }

  /** Notes bytes of the answer. @param uncounted those that come after the figures that are counted */
  noteAnswer(bytes: number, uncounted = bytes): void {
    this.#answerBytes += bytes
    this.#uncountedBytes += uncounted
  }

  /**
   * Completes the figures with an estimate where the server of the model has left some out: the prompt, the answer, or
   * the end of an answer that broke off.
   */
  estimateMissing(promptTokens: () => number): void {
    const known = this.#usage
    const rest = known.completionTokens === 0 ? this.#answerBytes : this.#uncountedBytes
    const usage = {
      ...known,
      promptTokens: known.promptTokens === 0 ? promptTokens() : known.promptTokens,
      completionTokens: known.completionTokens + estimateText(rest),
    }
    this.isEstimated ||= usage.promptTokens !== known.promptTokens || rest > 0
    this.count(usage)
    this.#uncountedBytes = 0
  }

  /** Names the serving model in the headers of the reply, because the client asked for another one. */
  showServed(name: string): void {
    // Header values allow only Latin letters; model names may hold any.
    this.headers['Served-Model'] = encodeURI(name)
  }

  /** Counts a failover target as the server of the request until it fails. */
  beginAttempt(target: ModelConfig): void {
    this.servedModel = target
  }

  /** Drops the figures of a failover target that failed before its first content. @returns those figures */
  failAttempt(): Usage {
    const usage = this.#usage
    this.servedModel = this.#resolved
    this.#usage = NO_USAGE
    this.#answerBytes = 0
    this.#uncountedBytes = 0
    this.#failedTokens += usage.promptTokens + usage.completionTokens
    return usage
  }

  /** Tokens that quotas count, those of failed targets included; undefined for a request that does not count. */
  get charge(): number | undefined {
    const own = this.isRecorded ? this.usage.promptTokens + this.usage.completionTokens : 0
    return this.isRecorded || this.#failedTokens > 0 ? own + this.#failedTokens : undefined
  }

  /** Adds a warning. @returns whether it is the first of its code */
  warn({ code, message }: ReplyWarning): boolean {
    if (this.warnings.has(code)) return false
    this.warnings.set(code, message)
    return true
  }
}
