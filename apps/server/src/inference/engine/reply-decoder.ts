import { randomBytes } from 'node:crypto'
import type { ChatDelta, Reply } from '@svc/backend-client/proto'
import { type FinishReason, NO_USAGE, type PredictionEvent, type TokenLogprob, type Usage } from '../core/events.ts'
import { isJson } from '../prediction/check-answer.ts'
import { createLogprobQueue, type LogprobQueue } from '../prediction/logprob-queue.ts'
import { createReplyText, type ReplyText, type Said } from '../prediction/reply-text.ts'

/** Creates an id for a tool call that its backend did not name. */
function createCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toAlternative(value: Record<string, unknown>): Omit<TokenLogprob, 'top_logprobs'> | undefined {
  const { token, logprob, bytes } = value
  if (typeof token !== 'string' || typeof logprob !== 'number' || !Number.isFinite(logprob)) return undefined
  const isBytes = Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
  return { token, logprob, bytes: isBytes ? (bytes as number[]) : null }
}

/** Reads logprobs of the compatible format from a backend and leaves out malformed ones. */
export function readLogprobs(bytes: Uint8Array): readonly TokenLogprob[] | undefined {
  if (bytes.length === 0) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
  const content = isRecord(parsed) ? parsed.content : parsed
  if (!Array.isArray(content)) return undefined
  return content.filter(isRecord).flatMap((entry) => {
    const own = toAlternative(entry)
    if (own === undefined) return []
    const top = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : []
    return [{ ...own, top_logprobs: top.filter(isRecord).flatMap((other) => toAlternative(other) ?? []) }]
  })
}

/** The end of a choice as a backend reports it. */
export interface ToldEnd {
  /** The text at which it ended. */
  readonly stopText?: string | undefined
  /** @default derived from the limits that were sent */
  readonly finishReason?: FinishReason | undefined
}

/** Reads the replies of one prediction, in order, as events of one choice. */
export interface ReplyDecoder {
  /** Gives the events of a reply, streamed or whole. */
  reply(reply: Reply): PredictionEvent[]
  /** Gives the events that were held back, and the end. */
  end(told?: ToldEnd): PredictionEvent[]
  /** Figures so far; the backend's counters are running totals. */
  readonly usage: Usage
}

/** Options of {@link createReplyDecoder}. */
export interface ReplyDecoderOptions {
  readonly choice: number
  /** The limit that was sent; 0 = none. A choice that reaches it ends as `length`. */
  readonly maxTokens: number
  /**
   * Limit of prompt and answer together in tokens; 0 = unknown. A choice that reaches it, or stops one token behind it,
   * ends as `length`.
   */
  readonly contextSize: number
  /** Reads the text of the model. @default all text is the answer */
  readonly text?: ReplyText | undefined
  /** Whether more than one call counts. @default true */
  readonly parallel?: boolean | undefined
  /** The model file has rules for reading the text; they take precedence over the backend's parsing. @default false */
  readonly prefersText?: boolean | undefined
  /** The first reply has the whole text. @default false */
  readonly isWhole?: boolean | undefined
}

/** Makes the decoder of a choice. */
export function createReplyDecoder(options: ReplyDecoderOptions): ReplyDecoder {
  return new ChoiceDecoder(options)
}

/** Decodes texts that are not cut. */
const WHOLE_TEXT = new TextDecoder('utf-8')

// A class: an accessor in an object literal is a new shape for the engine each time.
class ChoiceDecoder implements ReplyDecoder {
  usage: Usage = NO_USAGE
  readonly #options: ReplyDecoderOptions
  readonly #text: ReplyText
  readonly #calls = new CallNumbers()
  /** Set once a reply has log-probabilities. */
  #tokens: LogprobQueue | undefined
  #utf8: InstanceType<typeof TextDecoder> | undefined
  #hasText = false
  /** Arguments of the last call that counts; a limit cuts only its end off. */
  #lastArguments = ''
  #isThinking = false

  constructor(options: ReplyDecoderOptions) {
    this.#options = options
    this.#text = options.text ?? createReplyText({ reasoning: { disable: true }, stream: true })
  }

  reply(reply: Reply): PredictionEvent[] {
    this.usage = updateUsage(this.usage, reply)
    this.#addTokens(readLogprobs(reply.logprobs))
    this.#hasText ||= reply.message.length > 0
    const isRaw = this.#hasText && this.#options.prefersText === true
    // The parsed output of a backend takes precedence over the raw text.
    if (reply.chatDeltas.length > 0 && !isRaw) {
      return this.#toEvents(reply.chatDeltas.flatMap((delta) => this.#readDelta(delta)))
    }
    return this.#toEvents(this.#numbered(this.#text.push(this.#decode(reply.message))))
  }

  end({ stopText, finishReason }: ToldEnd = {}): PredictionEvent[] {
    const { choice } = this.#options
    const lastText = this.#utf8 === undefined ? [] : this.#text.push(this.#utf8.decode())
    const events = this.#toEvents(this.#numbered([...lastText, ...this.#text.end()]))
    const callCount = this.#calls.count
    const rest = callCount === 0 && !this.#isThinking ? this.#tokens?.rest() : undefined
    if (rest !== undefined) events.push({ type: 'text-delta', choice, text: '', logprobs: rest })
    const lastArguments = this.#lastArguments
    const reason = findFinishReason(finishReason, {
      usage: this.usage,
      callCount,
      lastArguments,
      limits: this.#options,
    })
    if (reason === 'stop' && stopText !== undefined) {
      events.push({ type: 'choice-end', choice, finishReason: reason, stopText })
    } else events.push({ type: 'choice-end', choice, finishReason: reason })
    return events
  }

  #addTokens(tokens: readonly TokenLogprob[] | undefined): void {
    if (tokens === undefined) return
    this.#tokens ??= createLogprobQueue()
    this.#tokens.add(tokens)
  }

  #decode(message: Uint8Array): string {
    if (this.#options.isWhole === true) return WHOLE_TEXT.decode(message)
    this.#utf8 ??= new TextDecoder('utf-8')
    return this.#utf8.decode(message, { stream: true })
  }

  /** Converts parts of one reply to events. Log-probabilities of reasoning and calls are not reported. */
  #toEvents(said: readonly Said[]): PredictionEvent[] {
    const { choice } = this.#options
    const isAlone = said.every(({ type }) => type === 'text')
    const lastText = said.findLastIndex(({ type }) => type === 'text')
    const events: PredictionEvent[] = []
    for (const [position, one] of said.entries()) {
      this.#isThinking = one.type === 'reasoning'
      if (one.type === 'text') {
        events.push({ type: 'text-delta', choice, text: one.text, logprobs: this.#tokens?.take(one.text, { isAlone }) })
        continue
      }
      this.#tokens?.skip(one.type === 'call-start' ? one.name : one.text, { textFollows: position < lastText })
      if (one.type === 'reasoning') events.push({ type: 'reasoning-delta', choice, text: one.text })
      else if (this.#counts(one.index)) events.push(this.#toCallEvent(one))
    }
    return events
  }

  /** Whether the client wants a call. */
  #counts(index: number): boolean {
    return index === 0 || this.#options.parallel !== false
  }

  #toCallEvent(said: Extract<Said, { readonly index: number }>): PredictionEvent {
    const { choice } = this.#options
    if (said.type === 'call-start') {
      this.#lastArguments = ''
      return { type: 'tool-call-start', choice, index: said.index, id: said.id || createCallId(), name: said.name }
    }
    this.#lastArguments += said.text
    return { type: 'tool-call-delta', choice, index: said.index, arguments: said.text }
  }

  #readDelta(delta: ChatDelta): Said[] {
    const said = [
      ...(delta.reasoningContent === '' ? [] : this.#text.pushReasoning(delta.reasoningContent)),
      ...(delta.content === '' ? [] : this.#numbered(this.#text.pushAnswer(delta.content))),
    ]
    for (const { index: given, id, name, arguments: text } of delta.toolCalls) {
      const { index, isNew } = this.#calls.number('delta', given)
      if (isNew) said.push({ type: 'call-start', index, name, id })
      if (text !== '') said.push({ type: 'call-arguments', index, text })
    }
    return said
  }

  #numbered(said: readonly Said[]): readonly Said[] {
    if (!said.some((one) => 'index' in one)) return said
    return said.map((one) => ('index' in one ? { ...one, index: this.#calls.number('text', one.index).index } : one))
  }
}

/** Decides why a choice ended. */
function findFinishReason(
  told: FinishReason | undefined,
  {
    usage,
    callCount,
    lastArguments,
    limits,
  }: {
    readonly usage: Usage
    readonly callCount: number
    readonly lastArguments: string
    readonly limits: Pick<ReplyDecoderOptions, 'maxTokens' | 'contextSize'>
  },
): FinishReason {
  const isCut = told === undefined ? reachedLimit(usage, limits) : told === 'length'
  if (callCount > 0) return isCut && !isJson(lastArguments) ? 'length' : 'tool_calls'
  if (isCut) return 'length'
  // Calls that the client does not see cannot have ended the choice.
  return told === 'content_filter' ? told : 'stop'
}

function reachedLimit(
  { promptTokens, completionTokens }: Usage,
  { maxTokens, contextSize }: Pick<ReplyDecoderOptions, 'maxTokens' | 'contextSize'>,
): boolean {
  if (maxTokens > 0 && completionTokens >= maxTokens) return true
  return endedByContext(contextSize, promptTokens, completionTokens)
}

/** Reads the figures of a reply. Figures that it lacks stay as they were. */
function updateUsage(usage: Usage, reply: Reply): Usage {
  return {
    promptTokens: toUsable(reply.promptTokens) || usage.promptTokens,
    completionTokens: toUsable(reply.tokens) || usage.completionTokens,
    promptMs: toUsable(reply.timingPromptProcessing) || usage.promptMs,
    generationMs: toUsable(reply.timingTokenGeneration) || usage.generationMs,
  }
}

/** Numbers calls in the order in which they begin, whatever number a backend starts with. */
class CallNumbers {
  #known: Map<string, number> | undefined

  get count(): number {
    return this.#known?.size ?? 0
  }

  number(source: 'text' | 'delta', given: number): { readonly index: number; readonly isNew: boolean } {
    this.#known ??= new Map()
    const key = `${source} ${given}`
    const index = this.#known.get(key)
    if (index !== undefined) return { index, isNew: false }
    this.#known.set(key, this.#known.size)
    return { index: this.#known.size - 1, isNew: true }
  }
}

/**
 * Decides whether an answer ended because the context was full. An answer far past the size did not: its backend shifts
 * the context, or has another limit. Engines that shift stop after as many tokens as the context holds.
 */
function endedByContext(size: number, promptTokens: number, completionTokens: number): boolean {
  if (size <= 0) return false
  const over = promptTokens + completionTokens - size
  return over === 0 || over === 1 || completionTokens === size
}

/** Gives a figure of a backend when it is possible, else 0. */
function toUsable(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0
}
