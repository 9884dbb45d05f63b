import type { CompletionUsage } from '@svc/wire'
import { type Fields, fieldsOf, textOf, tryParseJson } from '../fields.ts'
import { addFigures, type MessagesFigures, readCompatibleUsage, toCompatibleUsage } from '../translate/usage.ts'
import type { Provider } from '../upstream.ts'

/** What a stream of whole events has told so far. */
export interface StreamTap {
  /** Reads whole events, each byte as one character. */
  read(events: string): void
  /** The upstream's figures; nothing while it gave none. */
  readonly usage: CompletionUsage | undefined
  /** Why the model stopped, in the words of the upstream. */
  readonly stopReason: string | undefined
  /** Whether the format's last event has come. */
  readonly hasEnded: boolean
  /** Whether the stream may end here: after its last event, an error, or as some upstreams do after the finish reason. */
  mayEnd(isFramedEnd: boolean): boolean
}

/** Makes the tap for a wire format. It searches for a few words and parses only the events that have them. */
export function createStreamTap(provider: Provider): StreamTap {
  return provider === 'provider_b' ? new MessagesTap() : new ChatTap()
}

const DONE_LINE = /^data: ?\[DONE\][ \t]*\r?$/m
const ERROR_DATA = /^data: ?\{\s*"error"\s*:\s*[^n\s]/m
const ERROR_EVENT = /^event: ?error\r?$/m
const FINISHED = /"finish_reason"\s*:\s*"/
const STOP_EVENT = /^event: ?message_stop\r?$|^data: ?\{.*"type"\s*:\s*"message_stop"/m

class ChatTap implements StreamTap {
  usage: CompletionUsage | undefined
  readonly stopReason = undefined
  hasEnded = false
  #last = ''
  #beforeLast = ''

  read(events: string): void {
    if (events.includes('"usage"')) this.#readUsage(events)
    if (events.includes('[DONE]') && DONE_LINE.test(events)) this.hasEnded = true
    this.#beforeLast = this.#last
    this.#last = events
  }

  mayEnd(isFramedEnd: boolean): boolean {
    if (this.hasEnded || ERROR_DATA.test(this.#last) || ERROR_EVENT.test(this.#last)) return true
    return isFramedEnd && (FINISHED.test(this.#last) || FINISHED.test(this.#beforeLast))
  }

  #readUsage(events: string): void {
    forEachDataWith(events, '"usage"', (data) => {
      this.usage = readCompatibleUsage(data.usage) ?? this.usage
    })
  }
}

class MessagesTap implements StreamTap {
  stopReason: string | undefined
  hasEnded = false
  #figures: MessagesFigures = {}
  #last = ''

  get usage(): CompletionUsage | undefined {
    return toCompatibleUsage(this.#figures)
  }

  read(events: string): void {
    if (events.includes('"usage"')) this.#readFigures(events)
    if (events.includes('message_stop') && STOP_EVENT.test(events)) this.hasEnded = true
    this.#last = events
  }

  mayEnd(): boolean {
    return this.hasEnded || ERROR_EVENT.test(this.#last)
  }

  #readFigures(events: string): void {
    forEachDataWith(events, '"usage"', (data) => {
      this.#figures = addFigures(this.#figures, data.usage ?? fieldsOf(data.message).usage)
      this.stopReason = textOf(fieldsOf(data.delta).stop_reason) ?? this.stopReason
    })
  }
}

/** Parses the data lines that hold a word. Data that is spread over several lines is left alone. */
function forEachDataWith(events: string, word: string, each: (data: Fields) => void): void {
  for (let at = events.indexOf(word); at >= 0; ) {
    const start = events.lastIndexOf('\n', at) + 1
    const found = events.indexOf('\n', at)
    const end = found < 0 ? events.length : found
    // The text of most chunks says no more than `"usage":null`.
    if (events.startsWith('data:', start) && !isNull(events, at + word.length)) {
      each(fieldsOf(tryParseJson(events.slice(start + 5, end))))
    }
    at = events.indexOf(word, end)
  }
}

function isNull(events: string, from: number): boolean {
  return events.startsWith(':null', from) || events.startsWith(': null', from)
}
