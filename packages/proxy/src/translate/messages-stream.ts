import type { ChatCompletionChunk, ChatDelta, CompletionUsage } from '@svc/wire/openai'
import { type Fields, isFields, toFields, toText, tryParseJson } from '../fields.ts'
import { brokenUpstream } from '../upstream-error.ts'
import { type ChunkHead, createDeltaChunk, createFinishChunk, createUsageChunk } from './chunks.ts'
import { endWithCalls, toFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside, refused } from './reply-errors.ts'
import type { ReaderOptions, StreamReader } from './reply-reader.ts'
import { readSources } from './source-text.ts'
import { TextJoiner } from './text-joiner.ts'
import { createThoughtDelta, readThinkingBlock } from './thoughts.ts'
import { addFigures, type MessagesFigures, toCompatibleUsage } from './usage.ts'

/** Upstreams open one block at a time; a stream with more open calls than this is invalid. */
const MAX_OPEN_CALLS = 256

interface OpenCall {
  readonly index: number
  /** The input at the start of the block, from upstreams that send it at once. */
  readonly input: string
  hasArguments: boolean
}

/** Reads a stream of the messages format. It is complete after `message_stop`. */
export function createMessagesStream(options: ReaderOptions): StreamReader {
  return new MessagesStream(options)
}

class MessagesStream implements StreamReader {
  hasEnded = false
  readonly #isText: boolean
  readonly #now: () => number
  readonly #open = new Map<unknown, OpenCall>()
  /** The signature of the open thought. */
  #signature = ''
  #head: ChunkHead | undefined
  #figures: MessagesFigures = {}
  #hasFreshFigures = false
  #stopReason: unknown
  #calls = 0
  readonly #texts = new TextJoiner()

  constructor({ mode, now }: ReaderOptions) {
    this.#isText = mode === 'text'
    this.#now = now
  }

  push(data: string): ChatCompletionChunk[] {
    const event = tryParseJson(data)
    if (!isFields(event)) return []
    const failure = findErrorInside(event)
    if (failure !== undefined) throw failure
    switch (event.type) {
      case 'message_start':
        return this.#start(toFields(event.message))
      case 'content_block_start':
        return this.#deltas(this.#openBlock(event.index, toFields(event.content_block), data))
      case 'content_block_delta':
        return this.#deltas(this.#readDelta(event.index, toFields(event.delta)))
      case 'content_block_stop':
        return this.#deltas(this.#closeBlock(event.index))
      case 'message_delta':
        this.#addFigures(event.usage)
        this.#stopReason = toFields(event.delta).stop_reason ?? this.#stopReason
        if (this.#stopReason === 'refusal') throw refused()
        return []
      case 'message_stop':
        return this.#stop()
      default:
        // `ping`, and unknown events.
        return []
    }
  }

  takeFigures(): CompletionUsage | undefined {
    if (!this.#hasFreshFigures) return undefined
    this.#hasFreshFigures = false
    return toCompatibleUsage(this.#figures)
  }

  end(): readonly ChatCompletionChunk[] | undefined {
    return this.hasEnded ? [] : undefined
  }

  #addFigures(usage: unknown): void {
    this.#figures = addFigures(this.#figures, usage)
    this.#hasFreshFigures ||= isFields(usage)
  }

  #start(message: Fields): ChatCompletionChunk[] {
    this.#addFigures(message.usage)
    if (this.#head !== undefined) return []
    return [createDeltaChunk(this.#toHead(message), { role: 'assistant', content: '' })]
  }

  #toHead(message: Fields): ChunkHead {
    this.#head ??= {
      id: toText(message.id) ?? '',
      model: toText(message.model) ?? '',
      created: Math.floor(this.#now() / 1000),
    }
    return this.#head
  }

  #deltas(delta: ChatDelta | undefined): ChatCompletionChunk[] {
    return delta === undefined ? [] : [createDeltaChunk(this.#toHead({}), delta)]
  }

  #openBlock(place: unknown, block: Fields, source: string): ChatDelta | undefined {
    if (block.type === 'text') return textDelta(this.#texts.open(block))
    if (this.#isText) return undefined
    if (block.type === 'thinking') {
      this.#signature = toText(block.signature) ?? ''
      return reasoningDelta(block.thinking)
    }
    if (block.type === 'redacted_thinking') return thoughtDelta(block)
    if (block.type !== 'tool_use') return undefined
    if (this.#open.size >= MAX_OPEN_CALLS) throw brokenUpstream('the upstream opened too many blocks at once')
    const index = this.#calls
    this.#calls += 1
    this.#open.set(place, { index, input: readInputText(block, source), hasArguments: false })
    const id = toText(block.id) ?? `call_${index}`
    return {
      tool_calls: [{ index, id, type: 'function', function: { name: toText(block.name) ?? '', arguments: '' } }],
    }
  }

  #readDelta(place: unknown, delta: Fields): ChatDelta | undefined {
    if (delta.type === 'text_delta') return textDelta(this.#texts.add(delta.text))
    if (delta.type === 'citations_delta') this.#texts.cite()
    if (this.#isText) return undefined
    if (delta.type === 'thinking_delta') return reasoningDelta(delta.thinking)
    if (delta.type === 'signature_delta') this.#signature += toText(delta.signature) ?? ''
    const call = this.#open.get(place)
    const piece = toText(delta.partial_json) ?? ''
    if (delta.type !== 'input_json_delta' || call === undefined || piece === '') return undefined
    call.hasArguments = true
    return argumentsDelta(call.index, piece)
  }

  #closeBlock(place: unknown): ChatDelta | undefined {
    const signature = this.#signature
    this.#signature = ''
    if (signature !== '') return thoughtDelta({ type: 'thinking', signature })
    const call = this.#open.get(place)
    this.#open.delete(place)
    // A call without arguments gets an empty object.
    return call === undefined || call.hasArguments ? undefined : argumentsDelta(call.index, call.input)
  }

  #stop(): ChatCompletionChunk[] {
    this.hasEnded = true
    const unclosed = [...this.#open.keys()].flatMap((place) => this.#deltas(this.#closeBlock(place)))
    const reason = toFinishReason(this.#stopReason)
    const head = this.#toHead({})
    const usage = toCompatibleUsage(this.#figures)
    return [
      ...unclosed,
      createFinishChunk(head, this.#isText ? withoutCalls(reason) : endWithCalls(reason, this.#calls > 0)),
      ...(usage === undefined ? [] : [createUsageChunk(head, usage)]),
    ]
  }
}

function textDelta(text: unknown): ChatDelta | undefined {
  return typeof text === 'string' && text !== '' ? { content: text } : undefined
}

function reasoningDelta(text: unknown): ChatDelta | undefined {
  return typeof text === 'string' && text !== '' ? { reasoning: text } : undefined
}

function thoughtDelta(block: Fields): ChatDelta | undefined {
  const thought = readThinkingBlock(block)
  return thought === undefined ? undefined : createThoughtDelta(thought)
}

function argumentsDelta(index: number, text: string): ChatDelta {
  return { tool_calls: [{ index, function: { arguments: text } }] }
}

/** The input of a call at the start of its block: the upstream's own text, so that long numbers survive. */
function readInputText({ input }: Fields, source: string): string {
  if (isFields(input) && Object.keys(input).length > 0) {
    const [text] = readSources(source, (root) => [root.get('content_block')?.get('input')])
    return text ?? JSON.stringify(input)
  }
  return typeof input === 'string' && input.trim() !== '' ? input : '{}'
}
