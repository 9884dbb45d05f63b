import type { StreamEvent } from './stream-events.ts'
import { addServerCall, addServerFault, askAgain, joinText } from './tool-calls.ts'
import type { Message, ToolCall } from './types.ts'

/** Gathers the events of a stream into the message that they make. */
export class Answer {
  /** The failure inside the stream. */
  failure: { readonly message: string; readonly code?: string } | undefined
  #message: Message
  readonly #sentAt: number
  readonly #keys = new Map<string, number>()
  #pieces = 0
  #firstAt: number | undefined
  #lastAt: number | undefined
  #thinkingSince: number | undefined

  /** @param message the empty or unfinished message @param sentAt when the request left, in milliseconds */
  constructor(message: Message, sentAt: number) {
    this.#message = message
    this.#sentAt = sentAt
  }

  /** The message as far as it has come. */
  get message(): Message {
    return this.#message
  }

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.#firstAt !== undefined
  }

  get isThinking(): boolean {
    return this.#thinkingSince !== undefined
  }

  /** Takes in one event. @param now in milliseconds */
  apply(event: StreamEvent, now: number): void {
    this.#change(this.#toChange(event, now))
  }

  #toChange(event: StreamEvent, now: number): Partial<Message> {
    const { reasoning, model, background } = this.#message
    switch (event.type) {
      case 'text':
        this.#count(now)
        this.#endThought(now)
        return { text: joinText(this.#message, event.text) }
      case 'reasoning':
        this.#count(now)
        this.#thinkingSince ??= now
        return { reasoning: reasoning + event.text }
      case 'call':
        this.#count(now)
        this.#endThought(now)
        return { toolCalls: this.#applyCall(event, now) }
      case 'server-call':
        this.#count(now)
        this.#endThought(now)
        return { toolCalls: addServerCall(this.#message, event, now) }
      case 'server-fault':
        return { serverFaults: addServerFault(this.#message, event.message) }
      case 'result':
        return { toolCalls: this.#applyResult(event, now) }
      case 'model':
        return event.name === model ? {} : { servedModel: event.name }
      case 'usage':
        return { figures: { tokens: event.tokens, promptTokens: event.prompt, ...this.#times() } }
      case 'finish':
        this.#endThought(now)
        return { isCut: event.isCut }
      case 'failure':
        this.failure = event
        return {}
      case 'response': {
        const { id = background?.responseId ?? '', sequence = background?.lastSequence ?? -1 } = event
        return { background: { responseId: id, lastSequence: sequence } }
      }
    }
  }

  /** The message with its end. */
  finish(end: Pick<Message, 'state'> & Partial<Message>, now: number): Message {
    this.#endThought(now)
    const { figures, writer: _, ...rest } = this.#message
    const tokens = figures?.tokens ?? this.#pieces
    const message = { ...rest, figures: { ...figures, tokens, ...this.#times() }, ...end }
    return end.state === 'done' ? message : askAgain(message)
  }

  /** Pieces that came so far, which is the number of tokens in most cases. */
  get pieces(): number {
    return this.#pieces
  }

  #change(fields: Partial<Message>): void {
    this.#message = { ...this.#message, ...fields }
  }

  #count(now: number): void {
    this.#pieces += 1
    this.#firstAt ??= now
    this.#lastAt = now
  }

  #times(): { firstTokenMs?: number; streamMs?: number } {
    if (this.#firstAt === undefined || this.#lastAt === undefined) return {}
    return { firstTokenMs: this.#firstAt - this.#sentAt, streamMs: this.#lastAt - this.#firstAt }
  }

  #endThought(now: number): void {
    if (this.#thinkingSince === undefined) return
    this.#change({ reasoningMs: (this.#message.reasoningMs ?? 0) + now - this.#thinkingSince })
    this.#thinkingSince = undefined
  }

  #applyCall(event: Extract<StreamEvent, { type: 'call' }>, now: number): readonly ToolCall[] {
    const { toolCalls, text } = this.#message
    const served = toolCalls.findIndex(({ id, server }) => server !== undefined && id === event.id)
    // a call that waits for consent comes as one of the reader's own tools too
    if (served !== -1) this.#keys.set(event.key, served)
    const index = this.#keys.get(event.key) ?? -1
    if (toolCalls[index]?.server !== undefined && (event.id === undefined || served !== -1)) return toolCalls
    // a call with another id begins again at the same place in the next round of a tool loop
    if (index === -1 || (event.id !== undefined && toolCalls[index]?.id !== event.id)) {
      this.#keys.set(event.key, toolCalls.length)
      const id = event.id ?? event.key
      const call = { id, name: event.name ?? '', arguments: event.text, startedAt: now, textBefore: text.length }
      return [...toolCalls, call]
    }
    return this.#replaceCall(index, (call) => ({
      ...call,
      name: call.name === '' ? (event.name ?? '') : call.name,
      arguments: call.arguments + event.text,
    }))
  }

  #applyResult(event: Extract<StreamEvent, { type: 'result' }>, now: number): readonly ToolCall[] {
    const { id, name, text, isFailed } = event
    const isMeant = (call: ToolCall) => (id === undefined ? call.name === name : call.id === id)
    const index = this.#message.toolCalls.findIndex((call) => isMeant(call) && call.result === undefined)
    return this.#replaceCall(index, (call) => ({ ...call, result: text, isFailed, durationMs: now - call.startedAt }))
  }

  #replaceCall(index: number, change: (call: ToolCall) => ToolCall): readonly ToolCall[] {
    return this.#message.toolCalls.map((call, place) => (place === index ? change(call) : call))
  }
}
