import type { PartialMessage } from '@svc/backend-client'
import { ANSWER_TRAILERS, type PredictOptions, type Reply } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { MaybePromise } from '../../ports.ts'
import { estimateText } from '../core/estimate-tokens.ts'
import {
  addUsage,
  type FinishReason,
  NO_USAGE,
  type PredictionEvent,
  type PredictionStep,
  type Usage,
} from '../core/events.ts'
import type { GenerationRequest } from '../core/request.ts'
import type { LeftFigures } from '../engine/executor.ts'
import { createReplyDecoder, type ReplyDecoder, type ToldEnd } from '../engine/reply-decoder.ts'
import { toPredictOptions } from '../engine/to-predict-options.ts'
import { batchReplies } from './batch-replies.ts'
import { createFormGate, type FormGate } from './form-gate.ts'
import { countPrompt, createOwnCount, type OwnCount } from './own-count.ts'
import type { Plan } from './plan.ts'
import type { PredictionContext } from './prediction-context.ts'
import type { ReadPrompt } from './read-prompt.ts'
import { createReplyText } from './reply-text.ts'

/** Time for counting a prompt in the background. */
const COUNT_MS = 2000

/** Answers of backends, and of other instances, that do not count tokens. */
const COUNTS_NOT: ReadonlySet<string> = new Set(['not_implemented', 'invalid_request', 'not_found'])

/** One choice of a reply. */
interface Choice {
  readonly index: number
  readonly plan: Plan
  /** Whether it is the first answer to its prompt. */
  readonly countsPrompt: boolean
}

/** One running choice: asks the backend and turns its replies into steps without waiting. */
export class ChoiceRun {
  /** Figures of this choice and all choices before it; complete after {@link end}. */
  usage: Usage
  readonly #request: GenerationRequest
  readonly #choice: Choice
  readonly #before: Usage
  readonly #context: PredictionContext
  readonly #options: PartialMessage<PredictOptions>
  readonly #decoder: ReplyDecoder
  readonly #gate: FormGate
  readonly #count: OwnCount | undefined
  readonly #generates: boolean
  #shown: Usage = NO_USAGE
  /** Warnings of the plan until the first steps. */
  #warnings: readonly PredictionStep[]
  /** The prompt, once it is read with its log-probabilities. */
  #prompt: ReadPrompt | undefined
  #hasTokens = false
  #told: ToldEnd = {}
  /** Figures of the trailers. */
  #details: UsageDetails | undefined

  constructor(
    request: GenerationRequest,
    choice: Choice,
    { before, context }: { readonly before: Usage; readonly context: PredictionContext },
  ) {
    const { model, client } = context
    const { plan, countsPrompt } = choice
    const { stream } = request
    this.#generates = plan.generates ?? true
    this.usage = before
    this.#request = request
    this.#choice = choice
    this.#before = before
    this.#context = context
    this.#options = toOptions(request, choice, context)
    this.#warnings = plan.warnings ?? []
    this.#gate = createFormGate(plan, { refuses: model.strictAnswers })
    this.#decoder = createReplyDecoder({
      choice: choice.index,
      maxTokens: this.#options.Tokens ?? 0,
      contextSize: model.contextSize ?? 0,
      prefersText: plan.prefersText,
      parallel: plan.parallel,
      isWhole: !stream,
      text: createReplyText({ ...plan.reading, finisher: plan.finisher?.(), stream }),
    })
    this.#count =
      model.featureFlags.usage === true ? createOwnCount(this.#options, { client, stream, countsPrompt }) : undefined
  }

  /** Reads the prompt, if the client wants its log-probabilities, and gives the steps for it. */
  begin(): MaybePromise<readonly PredictionStep[]> {
    const { index, plan } = this.#choice
    return plan.readPrompt === undefined
      ? []
      : plan.readPrompt().then((prompt) => {
          this.#prompt = prompt
          return [{ type: 'text-delta', choice: index, text: prompt.text, prompt: prompt.tokens }]
        })
  }

  /** Whether the backend is asked for an answer. */
  get generates(): boolean {
    return this.#generates
  }

  /** Asks the backend for a stream of replies in batches. */
  askForStream(): AsyncIterable<readonly Reply[]> {
    const { client, signal } = this.#context
    return batchReplies(client.predictStream(this.#options, { signal, onTrailers: this.#onTrailers }))
  }

  /** Asks the backend for its whole reply. */
  askForWhole(): Promise<Reply> {
    const { client, signal } = this.#context
    return client.predict(this.#options, { signal, onTrailers: this.#onTrailers })
  }

  /**
   * The steps of replies that arrived together, figures first.
   *
   * @throws SvcError where the model refuses answers that break the asked form
   */
  take(replies: readonly Reply[]): readonly PredictionStep[] {
    const steps: PredictionStep[] = []
    for (const reply of replies) {
      this.#count?.reply(reply)
      for (const step of this.#gate(this.#decoder.reply(reply))) steps.push(step)
    }
    if (steps.length > 0) steps.unshift(...this.#takeWarnings())
    this.#hasTokens ||= steps.some(hasLogprobs)
    const { usage } = this.#decoder
    const shown = this.#shown
    const isNew = usage.promptTokens !== shown.promptTokens || usage.completionTokens !== shown.completionTokens
    if (!this.#request.stream || this.#count !== undefined || !isNew) return steps
    this.#shown = usage
    steps.unshift({ type: 'progress', usage: this.#addUp(usage) })
    return steps
  }

  /** Gives the steps after the last reply. */
  end(): MaybePromise<readonly PredictionStep[]> {
    if (!this.#generates) return this.#endUnasked()
    const steps = [...this.#takeWarnings(), ...this.#gate(this.#withEndToken(this.#decoder.end(this.#told)))]
    const { usage } = this.#decoder
    const finish = (counted: Usage): readonly PredictionStep[] => {
      this.usage = this.#addUp(this.#details === undefined ? counted : { ...counted, ...this.#details })
      return steps
    }
    return this.#count === undefined ? finish(usage) : this.#count.usage(usage, this.#context).then(finish)
  }

  /** Ends a choice for which nothing was generated. */
  async #endUnasked(): Promise<readonly PredictionStep[]> {
    const count = (): Promise<number> =>
      countPrompt(this.#options, this.#context).catch((error: unknown) => {
        if (SvcError.is(error) && COUNTS_NOT.has(error.kind)) return 0
        throw error
      })
    const promptTokens = this.#prompt?.promptTokens ?? (await count())
    this.usage = this.#addUp({ ...NO_USAGE, promptTokens })
    return [...this.#takeWarnings(), ...this.#gate(this.#decoder.end({ finishReason: 'length' }))]
  }

  /** Adds the token with which an answer ended when it has no other token. */
  #withEndToken(events: PredictionEvent[]): PredictionEvent[] {
    const end = this.#prompt?.end
    const last = events.at(-1)
    const isEmpty = !this.#hasTokens && !events.some(hasLogprobs)
    if (end === undefined || !isEmpty || last?.type !== 'choice-end' || last.finishReason !== 'stop') return events
    return [...events.slice(0, -1), { type: 'text-delta', choice: last.choice, text: '', logprobs: [end] }, last]
  }

  /**
   * Gives the figures of a choice whose caller has left. Its backend has read the prompt, also when it did not come to
   * say so: then the prompt is counted, or estimated where the backend does not count.
   */
  async countLeft(): Promise<LeftFigures> {
    const { usage } = this.#decoder
    const { client } = this.#context
    const signal = AbortSignal.timeout(COUNT_MS)
    if (this.#count !== undefined) {
      return { usage: this.#addUp(await this.#count.usage(usage, { signal }).catch(() => usage)), isEstimated: false }
    }
    if (usage.promptTokens > 0 || !this.#choice.countsPrompt) return { usage: this.#addUp(usage), isEstimated: false }
    const counted =
      this.#prompt?.promptTokens ?? (await countPrompt(this.#options, { client, signal }).catch(() => undefined))
    const promptTokens = counted ?? estimatePrompt(this.#options)
    return { usage: this.#addUp({ ...usage, promptTokens }), isEstimated: counted === undefined }
  }

  #takeWarnings(): readonly PredictionStep[] {
    const warnings = this.#warnings
    this.#warnings = []
    return warnings
  }

  readonly #onTrailers = (trailers: Readonly<Record<string, string>>): void => {
    this.#details = readDetails(trailers)
    this.#told = {
      stopText: this.#options.StopPrompts?.[Number(trailers[ANSWER_TRAILERS.stop])],
      finishReason: readFinishReason(trailers[ANSWER_TRAILERS.finish]),
    }
  }

  #addUp(usage: Usage): Usage {
    if (this.#choice.countsPrompt) return addUsage(this.#before, usage)
    return addUsage(this.#before, {
      ...usage,
      promptTokens: 0,
      cachedTokens: undefined,
      reusedTokens: undefined,
      cacheWriteTokens: undefined,
    })
  }
}

/**
 * The choices of a request, one after the other: each runs to its end before the next one is taken. Each prompt counts
 * once for all of its answers; the answers add up.
 */
export function* runChoices(
  request: GenerationRequest,
  plans: readonly Plan[],
  context: PredictionContext,
): Generator<ChoiceRun, void, void> {
  let before: Usage = NO_USAGE
  for (const [position, plan] of plans.entries()) {
    for (let number = 0; number < request.choices; number += 1) {
      const choice = { index: position * request.choices + number, plan, countsPrompt: number === 0 }
      const run = new ChoiceRun(request, choice, { before, context })
      yield run
      before = run.usage
    }
  }
}

function estimatePrompt({ Prompt = '', Messages = [] }: PartialMessage<PredictOptions>): number {
  const bytes = Messages.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), Buffer.byteLength(Prompt))
  return estimateText(bytes)
}

/** Figures that a backend sends beside the messages of the contract. */
type UsageDetails = Pick<Usage, 'cachedTokens' | 'reusedTokens' | 'cacheWriteTokens' | 'reasoningTokens'>

const DETAILS = ['cachedTokens', 'reusedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const

/** Reads the figures that a backend sends in its trailers; undefined where it sends none. */
function readDetails(trailers: Readonly<Record<string, string>>): UsageDetails | undefined {
  if (!DETAILS.some((name) => ANSWER_TRAILERS[name] in trailers)) return undefined
  const read = (name: keyof UsageDetails): number | undefined => {
    const text = trailers[ANSWER_TRAILERS[name]]
    return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined
  }
  return {
    cachedTokens: read('cachedTokens'),
    reusedTokens: read('reusedTokens'),
    cacheWriteTokens: read('cacheWriteTokens'),
    reasoningTokens: read('reasoningTokens'),
  }
}

function hasLogprobs(step: PredictionStep): boolean {
  return step.type === 'text-delta' && (step.logprobs?.length ?? 0) > 0
}

const FINISH_REASONS: readonly (string | undefined)[] = ['stop', 'length', 'tool_calls', 'content_filter']

function readFinishReason(word: string | undefined): FinishReason | undefined {
  return FINISH_REASONS.includes(word) ? (word as FinishReason) : undefined
}

function toOptions(
  request: GenerationRequest,
  { index, plan }: Choice,
  context: PredictionContext,
): PartialMessage<PredictOptions> {
  const input = request.kind === 'chat' ? request : { ...request, messages: [] }
  return toPredictOptions(context.model, input, {
    correlationId: context.correlationId,
    choice: index,
    prompt: plan.prompt,
    grammar: plan.grammar,
    grammarMayWait: plan.grammarMayWait,
  })
}
