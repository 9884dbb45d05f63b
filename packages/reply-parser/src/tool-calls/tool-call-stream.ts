import { createCallSink } from './call-sink.ts'
import { createGrammar } from './grammar.ts'
import { MAX_PATTERN_TEXT_LENGTH } from './limits.ts'
import { compilePatternSettings, type PatternSettings, readByPatterns } from './pattern-calls.ts'
import { readReply } from './read-reply.ts'
import { TextCursor } from './text-cursor.ts'
import type { ToolCallEvent, ToolCallOptions } from './tool-call.ts'

/** Separates tool calls from text while a reply arrives. */
export interface ToolCallStream {
  /** Takes the next piece of the reply. A possible part of a call waits for more text. */
  push(piece: string): ToolCallEvent[]
  /** Returns the waiting events. */
  end(): ToolCallEvent[]
}

/**
 * Creates the stream of one reply. The joined events do not depend on how the reply is cut into pieces. Takes time
 * linear in its length.
 *
 * Text is sent as soon as it cannot be part of a call. A call is sent when it is complete; a broken or cut-off call is
 * text up to the next call. A call whose arguments are not a JSON object waits: it is text when a good call follows or
 * came before, else a call. Calls between markers are valid for every name. JSON without a marker is a call only when
 * it names a tool of the request, if the tools are given. With patterns in the settings nothing is sent before the end,
 * because any text may belong to a match.
 *
 * Reasoning must be removed before: calls inside it are not searched. `xml_format.allow_toolcall_in_think` has no
 * effect, nor has `disable_peg_parser`, because there is one parser.
 *
 * @example
 * const stream = createToolCallStream({ settings: {}, tools: [{ name: 'ping' }] })
 * stream.push('One moment. {"name": "pi') // [{ type: 'text', text: 'One moment.' }]
 * stream.push('ng", "arguments": {}}') // call-start ping, call-arguments {}
 */
export function createToolCallStream(options: ToolCallOptions): ToolCallStream {
  const patterns = compilePatternSettings(options)
  return patterns === undefined ? createReadingStream(options) : createWaitingStream(options, patterns)
}

function createReadingStream(options: ToolCallOptions): ToolCallStream {
  const cursor = new TextCursor()
  const sink = createCallSink(options)
  const reading = readReply(cursor, { options, sink, grammar: createGrammar(options, { takesBareJson: true }) })
  return {
    push(piece) {
      cursor.feed(piece)
      reading.next()
      return sink.take()
    },
    end() {
      cursor.finish()
      reading.next()
      sink.finish()
      return sink.take()
    },
  }
}

function createWaitingStream(options: ToolCallOptions, patterns: PatternSettings): ToolCallStream {
  let waiting = ''
  let plain: ToolCallStream | undefined
  return {
    push(piece) {
      if (plain !== undefined) return plain.push(piece)
      waiting += piece
      if (waiting.length <= MAX_PATTERN_TEXT_LENGTH) return []
      plain = createReadingStream(options)
      return plain.push(waiting)
    },
    end() {
      return plain === undefined ? readByPatterns(waiting, options, patterns).events : plain.end()
    },
  }
}
