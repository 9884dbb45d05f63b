import type { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { NO_USAGE, type PredictionWarning, type Usage } from './events.ts'

/** The account of one request: the serving model and the usage. Records of usage and traces are made from it. */
export class RequestLedger {
  /** The name that the client used, or the default of the route. */
  readonly requestedModel: string
  /** The name in the reply. */
  readonly replyModel: string
  /** The serving model: the resolved one, or the failover target that is being asked. */
  servedModel: ModelConfig
  /** Figures so far; complete once the reply has ended. */
  usage: Usage = NO_USAGE
  /** The error that ended the reply after its first byte. */
  failure: SvcError | undefined
  /** The status of an upstream whose reply went to the client as it came. */
  upstreamStatus: number | undefined
  /** Warnings of a reply that is delivered all the same: the first message of each code. */
  readonly warnings = new Map<string, string>()
  /** Whether a usage record was made of the request. */
  isRecorded = false
  /** Headers that name the serving model. */
  readonly headers: Record<string, string> = {}
  readonly #resolved: ModelConfig
  #failedTokens = 0

  constructor(requestedModel: string, resolved: ModelConfig, replyModel: string = requestedModel) {
    this.requestedModel = requestedModel
    this.replyModel = replyModel
    this.servedModel = resolved
    this.#resolved = resolved
  }

  /** Counts a failover target as the server of the request until it fails. */
  beginAttempt(target: ModelConfig): void {
    this.servedModel = target
  }

  /** Drops the figures of a failover target that failed before its first content. @returns those figures */
  failAttempt(): Usage {
    const { usage } = this
    this.servedModel = this.#resolved
    this.usage = NO_USAGE
    this.#failedTokens += usage.promptTokens + usage.completionTokens
    return usage
  }

  /** Tokens that quotas count, those of failed targets included; undefined for a request that does not count. */
  get charge(): number | undefined {
    const own = this.isRecorded ? this.usage.promptTokens + this.usage.completionTokens : 0
    return this.isRecorded || this.#failedTokens > 0 ? own + this.#failedTokens : undefined
  }

  /** Adds a warning. @returns whether it is the first of its code */
  warn({ code, message }: PredictionWarning): boolean {
    if (this.warnings.has(code)) return false
    this.warnings.set(code, message)
    return true
  }
}
