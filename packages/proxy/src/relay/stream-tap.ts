import type { CompletionUsage } from '@svc/wire/openai'
import { type Fields, isFields, toFields, toText, tryParseJson } from '../fields.ts'
import type { Provider } from '../ports.ts'
import { addFigures, findChunkUsage, type MessagesFigures, toCompatibleUsage } from '../translate/usage.ts'
import { AnswerMeter, type AnswerSize } from './answer-size.ts'

/** Facts of a stream of whole events so far. */
export interface StreamTap {
  /** Reads whole events, each byte as one character. */
  read(events: string): void
  /** The upstream's figures; undefined before any. */
  readonly usage: CompletionUsage | undefined
  /** The size of the answer so far. */
  readonly answer: AnswerSize
  /** The stop reason, in the words of the upstream. */
  readonly stopReason: string | undefined
  /** Whether the format's last event has arrived. */
  readonly hasEnded: boolean
  /**
   * Whether the stream may end here: after its last event, an error, or, with some upstreams, after the finish reason.
   */
  mayEnd(isFramedEnd: boolean): boolean
}

/** Creates the tap for a wire format. It searches for a few words and parses only the events that contain them. */
export function createStreamTap(provider: Provider): StreamTap {
  return provider === 'provider_b' ? new MessagesTap() : new ChatTap()
}

const DONE_LINE = /^data: ?\[DONE\][ \t]*\r?$/m
const ERROR_DATA = /^data: ?\{\s*"error"\s*:\s*[^n\s]/m
const ERROR_EVENT = /^event: ?error\r?$/m
const FINISHED = /"finish_reason"\s*:\s*"/
const STOP_EVENT = /^event: ?message_stop\r?$|^data: ?\{.*"type"\s*:\s*"message_stop"/m

class ChatTap implements StreamTap {
  readonly answer = new AnswerMeter('provider_a')
  usage: CompletionUsage | undefined
  readonly stopReason = undefined
  hasEnded = false
  #last = ''
  #beforeLast = ''

  read(events: string): void {
    const counted = forEachUsage(events, (data) => {
      const usage = findChunkUsage(data)
      this.usage = usage ?? this.usage
      return usage !== undefined
    })
    this.answer.take(events, counted)
    if (events.includes('[DONE]') && DONE_LINE.test(events)) this.hasEnded = true
    this.#beforeLast = this.#last
    this.#last = events
  }

  mayEnd(isFramedEnd: boolean): boolean {
    if (this.hasEnded || ERROR_DATA.test(this.#last) || ERROR_EVENT.test(this.#last)) return true
    return isFramedEnd && (FINISHED.test(this.#last) || FINISHED.test(this.#beforeLast))
  }
}

class MessagesTap implements StreamTap {
  readonly answer = new AnswerMeter('provider_b')
  stopReason: string | undefined
  hasEnded = false
  #figures: MessagesFigures = {}
  #last = ''

  get usage(): CompletionUsage | undefined {
    return toCompatibleUsage(this.#figures)
  }

  read(events: string): void {
    const counted = forEachUsage(events, (data) => {
      const usage = data.usage ?? toFields(data.message).usage
      this.#figures = addFigures(this.#figures, usage)
      this.stopReason = toText(toFields(data.delta).stop_reason) ?? this.stopReason
      return isFields(usage)
    })
    this.answer.take(events, counted)
    if (events.includes('message_stop') && STOP_EVENT.test(events)) this.hasEnded = true
    this.#last = events
  }

  mayEnd(): boolean {
    return this.hasEnded || ERROR_EVENT.test(this.#last)
  }
}

/** The end of the name of the usage field: engines find short texts much faster than longer ones. */
const USAGE = 'usage"'

/**
 * Parses the data lines that hold figures. Skips data that is spread over several lines.
 *
 * @param each whether the data held figures @returns the offset behind the last figures; 0 without any
 */
function forEachUsage(events: string, each: (data: Fields) => boolean): number {
  let counted = 0
  for (let at = events.indexOf(USAGE); at >= 0; at = events.indexOf(USAGE, at)) {
    at += USAGE.length
    // Most chunks only contain `"usage":null`.
    if (events.startsWith(':null', at) || events.startsWith(': null', at)) continue
    const start = events.lastIndexOf('\n', at) + 1
    const found = events.indexOf('\n', at)
    const end = found < 0 ? events.length : found
    if (events.startsWith('data:', start) && each(toFields(tryParseJson(events.slice(start + 5, end))))) counted = end
    at = end
  }
  return counted
}
