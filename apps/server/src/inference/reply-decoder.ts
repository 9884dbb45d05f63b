import { randomBytes } from 'node:crypto'
import type { ChatDelta, Reply } from '@svc/backend-client/proto'
import type { FinishReason, PredictionEvent, TokenLogprob, Usage } from './events.ts'
import { createReplyText, type ReplyText, type Said } from './prediction/reply-text.ts'

/** A new id for a tool call that its backend did not name. */
function newCallId(): string {
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

/** Reads the compatible format's logprobs as a backend sends them; whatever is malformed in them is left out. */
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

/** Reads the replies of one prediction, in order, as events of one choice. */
export interface ReplyDecoder {
  /** Events of a reply, streamed or whole. */
  reply(reply: Reply): PredictionEvent[]
  /** What is held back at the end, and the end itself. */
  end(): PredictionEvent[]
  /** Figures so far: the backend's counters are running totals. */
  readonly usage: Usage
}

/** What a decoder is told of its choice. */
export interface ReplyDecoderOptions {
  readonly choice: number
  /** The limit that was sent; 0 = none. Reaching it ends the choice as `length`. */
  readonly maxTokens: number
  /** Tokens of prompt and answer together; 0 = unknown. Reaching it does the same. */
  readonly contextSize: number
  /** Reads the text of the model. @default all of it is the answer */
  readonly text?: ReplyText | undefined
  /** The model's file says how to read its text: that goes before what the backend made of it. @default false */
  readonly prefersText?: boolean | undefined
}

/** Makes the decoder of a choice. */
export function createReplyDecoder(options: ReplyDecoderOptions): ReplyDecoder {
  const { choice, text: reader = createReplyText({ reasoning: { disable: true }, stream: true }) } = options
  const utf8 = new TextDecoder('utf-8')
  const started = new Set<number>()
  let usage: Usage = { promptTokens: 0, completionTokens: 0, promptMs: 0, generationMs: 0 }
  /** Of tokens whose text is still held back. */
  let logprobs: TokenLogprob[] = []
  let hasText = false

  function count(reply: Reply): void {
    usage = {
      promptTokens: usable(reply.promptTokens) || usage.promptTokens,
      completionTokens: usable(reply.tokens) || usage.completionTokens,
      promptMs: usable(reply.timingPromptProcessing) || usage.promptMs,
      generationMs: usable(reply.timingTokenGeneration) || usage.generationMs,
    }
  }

  /** Log-probabilities go with the text that follows them; those of reasoning and calls are not reported. */
  function takeLogprobs(): readonly TokenLogprob[] | undefined {
    if (logprobs.length === 0) return undefined
    const taken = logprobs
    logprobs = []
    return taken
  }

  function begin(index: number, name: string, id: string): PredictionEvent {
    started.add(index)
    return { type: 'tool-call-start', choice, index, id: id === '' ? newCallId() : id, name }
  }

  function toEvent(said: Said): PredictionEvent {
    if (said.type === 'text') return { type: 'text-delta', choice, text: said.text, logprobs: takeLogprobs() }
    logprobs = []
    switch (said.type) {
      case 'reasoning':
        return { type: 'reasoning-delta', choice, text: said.text }
      case 'call-start':
        return begin(said.index, said.name, said.id ?? '')
      case 'call-arguments':
        return { type: 'tool-call-delta', choice, index: said.index, arguments: said.text }
    }
  }

  function deltaEvents(delta: ChatDelta): PredictionEvent[] {
    const said = [
      ...(delta.reasoningContent === '' ? [] : reader.pushReasoning(delta.reasoningContent)),
      ...(delta.content === '' ? [] : reader.pushAnswer(delta.content)),
    ]
    const events = said.map(toEvent)
    for (const { index, id, name, arguments: text } of delta.toolCalls) {
      if (!started.has(index)) events.push(begin(index, name, id))
      if (text !== '') events.push({ type: 'tool-call-delta', choice, index, arguments: text })
    }
    return events
  }

  return {
    get usage() {
      return usage
    },
    reply(reply) {
      count(reply)
      logprobs.push(...(readLogprobs(reply.logprobs) ?? []))
      hasText ||= reply.message.length > 0
      const isRaw = hasText && options.prefersText === true
      // A backend that has parsed its own output is believed over the raw text.
      if (reply.chatDeltas.length > 0 && !isRaw) return reply.chatDeltas.flatMap(deltaEvents)
      return reader.push(utf8.decode(reply.message, { stream: true })).map(toEvent)
    },
    end() {
      const events = [...reader.push(utf8.decode()), ...reader.end()].map(toEvent)
      const rest = started.size === 0 ? takeLogprobs() : undefined
      if (rest !== undefined) events.push({ type: 'text-delta', choice, text: '', logprobs: rest })
      return [...events, { type: 'choice-end', choice, finishReason: finishReason() }]
    },
  }

  function finishReason(): FinishReason {
    if (started.size > 0) return 'tool_calls'
    const { promptTokens, completionTokens } = usage
    const reached = (limit: number, tokens: number): boolean => limit > 0 && tokens >= limit
    const full =
      reached(options.maxTokens, completionTokens) || reached(options.contextSize, promptTokens + completionTokens)
    return full ? 'length' : 'stop'
  }
}

/** A figure of a backend that a run can have; 0 for anything else. */
function usable(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0
}
