import type { ModelConfig } from '../../catalog/model-config.ts'
import { leavesMachine } from '../../catalog/serving.ts'
import type { LeftFigures } from '../engine/executor.ts'
import { estimateText, measureAnswer } from './estimate-tokens.ts'
import { type MediaUsage, NO_USAGE, type PredictionStep, type StepBatches, type Usage } from './events.ts'

/** More than any request uses, whatever a backend says. */
const MAX_FIGURE = 1_000_000_000

/** Options of {@link CallAccount}. */
export interface CallAccountOptions {
  /** Whether the steps of the call are an answer. A prompt that comes back is not an answer. @default true */
  readonly generates?: boolean | undefined
}

/** The account of one call of one model: the figures that its server reports, and what is known of the rest. */
export class CallAccount {
  /** The model that is called. */
  readonly model: ModelConfig
  /** Whether a part of the figures is an estimate. */
  isEstimated = false
  readonly #isMeasured: boolean
  #usage: Usage = NO_USAGE
  #media: MediaUsage | undefined
  /** Bytes of the answer so far, and those behind the last figures. */
  #answerBytes = 0
  #uncountedBytes = 0

  constructor(model: ModelConfig, { generates = true }: CallAccountOptions = {}) {
    this.model = model
    // Backends of this machine report their figures.
    this.#isMeasured = generates && leavesMachine(model)
  }

  /** Figures so far; complete once the call has ended. */
  get usage(): Usage {
    return this.#media === undefined ? this.#usage : { ...this.#usage, media: this.#media }
  }

  /** Takes the figures of a batch of steps, as they leave the server of the model. */
  take(steps: readonly PredictionStep[]): void {
    if (this.#isMeasured) this.noteAnswer(measureAnswer(steps))
    for (const step of steps) if (step.type === 'usage' || step.type === 'progress') this.count(step.usage)
  }

  /** Takes the figures of a call whose caller has left. */
  leave({ usage, isEstimated }: LeftFigures): void {
    // Figures that other servers leave out are estimated from the whole request, when it is recorded.
    if (isEstimated && leavesMachine(this.model)) return
    this.count(usage)
    this.isEstimated ||= isEstimated
  }

  /** Takes figures that the server of the model has just sent. They cover the answer so far, also where they repeat. */
  report(usage: Usage): void {
    this.count(usage)
    if (usage.completionTokens > 0) this.#uncountedBytes = 0
  }

  /** Takes figures of the server of the model: running totals. Figures of nothing change nothing. */
  count(usage: Usage): void {
    if (usage.promptTokens === 0 && usage.completionTokens === 0) return
    const { promptTokens, completionTokens } = this.#usage
    if (usage.promptTokens !== promptTokens || usage.completionTokens !== completionTokens) this.#uncountedBytes = 0
    this.#usage = usage
  }

  /** Takes sound, pictures and text of the call: running totals. Figures of nothing change nothing. */
  countMedia(media: MediaUsage): void {
    const figures = Object.entries(media).flatMap(([name, value]) =>
      value > 0 ? [[name, Math.min(value, MAX_FIGURE)] as const] : [],
    )
    if (figures.length > 0) this.#media = Object.fromEntries(figures)
  }

  /** Notes bytes of the answer. @param uncounted the bytes that come after the counted figures */
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
}

/** Counts the figures of a prediction as they come. Adds no async generator to the path of a token. */
export function countBatches(batches: StepBatches, account: Pick<CallAccount, 'take'>): StepBatches {
  return {
    [Symbol.asyncIterator]() {
      const source = batches[Symbol.asyncIterator]()
      const take = (step: IteratorResult<readonly PredictionStep[]>): typeof step => {
        if (step.done !== true) account.take(step.value)
        return step
      }
      return {
        next: () => source.next().then(take),
        async return() {
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
