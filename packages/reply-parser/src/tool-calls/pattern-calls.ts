import { type CallSink, createCallSink, type OfferedCall } from './call-sink.ts'
import { createGrammar } from './grammar.ts'
import { readArgumentText } from './json-calls.ts'
import { MAX_CALLS } from './limits.ts'
import {
  compilePatterns,
  compileReplacements,
  type Pattern,
  type PatternMatch,
  type Replacement,
  replaceAll,
} from './patterns.ts'
import { readReply } from './read-reply.ts'
import type { ReplyReader } from './reply-reader.ts'
import { TextCursor } from './text-cursor.ts'
import type { ParsedToolCall, ToolCallEvent, ToolCallOptions } from './tool-call.ts'

/** The patterns of a model file, ready to use. */
export interface PatternSettings {
  readonly capture: readonly Pattern[]
  readonly replaceText: readonly Replacement[]
  readonly replaceCalls: readonly Replacement[]
  readonly response: readonly Pattern[]
  readonly json: readonly Pattern[]
  readonly argument: readonly Pattern[]
}

/** Result of reading a complete reply by patterns. */
export interface PatternResult {
  readonly events: ToolCallEvent[]
  /** Text of the capturing patterns; empty without a match. */
  readonly captured: string
}

/** Compiles the patterns of a model file; undefined if no pattern changes the reading of a reply. */
export function compilePatternSettings({ settings }: ToolCallOptions): PatternSettings | undefined {
  const compiled = {
    capture: compilePatterns(settings.captureLlmResults),
    replaceText: compileReplacements(settings.replaceLlmResults),
    replaceCalls: compileReplacements(settings.replaceFunctionResults),
    response: compilePatterns(settings.responseRegex),
    json: compilePatterns(settings.jsonRegexMatch),
  }
  const isEmpty = Object.values(compiled).every((patterns) => patterns.length === 0)
  return isEmpty ? undefined : { ...compiled, argument: compilePatterns(settings.argumentRegex) }
}

/**
 * Reads a complete reply by patterns, in this order:
 *
 * - Captures text from the original reply.
 *
 * - Applies `replace_llm_results` and `replace_function_results`.
 *
 * - Finds calls by `response_regex` and searches the rest for tagged forms, but not for bare JSON.
 *
 * - Without `response_regex`, `json_regex_match` gives the places of JSON; without a match JSON may be anywhere.
 *
 * Without calls the content is the reply after `replace_llm_results`. With calls it is the captured text, or the text
 * outside of the calls when nothing was captured.
 */
export function readByPatterns(reply: string, options: ToolCallOptions, patterns: PatternSettings): PatternResult {
  const captured = capture(reply, patterns.capture)
  const text = replaceAll(reply, patterns.replaceText)
  const searched = replaceAll(text, patterns.replaceCalls)
  const reader = createReader(options, { takesBareJson: patterns.response.length === 0 })
  const { sink } = reader
  if (patterns.response.length > 0) readResponse(searched, reader, patterns)
  else if (!readJsonParts(searched, reader, patterns.json)) readAll(searched, reader)
  sink.finish()
  const events = sink.take()
  if (!sink.hasCalls) return { events: text === '' ? [] : [{ type: 'text', text }], captured }
  if (captured === '') return { events, captured }
  return { events: [{ type: 'text', text: captured }, ...events.filter(({ type }) => type !== 'text')], captured }
}

function createReader(options: ToolCallOptions, grammar: { readonly takesBareJson: boolean }): ReplyReader {
  return { options, grammar: createGrammar(options, grammar), sink: createCallSink(options) }
}

function capture(reply: string, patterns: readonly Pattern[]): string {
  for (const pattern of patterns) {
    const [match] = pattern.matches(reply, 1)
    if (match !== undefined) return (match.groups[1] ?? '').trim()
  }
  return ''
}

/** Reads a part of a reply to its end. */
function readAll(text: string, reader: ReplyReader): void {
  const cursor = new TextCursor()
  cursor.feed(text)
  cursor.finish()
  for (const _ of readReply(cursor, reader));
}

function readResponse(text: string, reader: ReplyReader, patterns: PatternSettings): void {
  let from = 0
  for (const { start, end, call } of findCalls(text, reader.options, patterns)) {
    readAll(text.slice(from, start), reader)
    const source = text.slice(start, end)
    if (!reader.sink.offer([{ call, source }], true)) reader.sink.text(source)
    from = end
  }
  readAll(text.slice(from), reader)
}

/** A call and its place. */
interface PlacedCall {
  readonly start: number
  readonly end: number
  readonly call: ParsedToolCall
}

/** The calls of all patterns in the order of the text; where two overlap, that of the earlier pattern. */
function findCalls(text: string, options: ToolCallOptions, patterns: PatternSettings): readonly PlacedCall[] {
  const placed: PlacedCall[] = []
  for (const pattern of patterns.response) {
    for (const match of pattern.matches(text, MAX_CALLS)) {
      const call = toCall(match, options, patterns)
      const isFree = placed.every(({ start, end }) => match.end <= start || match.start >= end)
      if (call !== undefined && isFree) placed.push({ start: match.start, end: match.end, call })
    }
  }
  return placed.sort((a, b) => a.start - b.start)
}

function toCall(
  match: PatternMatch,
  { settings }: ToolCallOptions,
  patterns: PatternSettings,
): ParsedToolCall | undefined {
  const name = match.named.get(settings.functionNameKey || 'name')?.trim() ?? ''
  if (name === '') return undefined
  const text = match.named.get(settings.functionArgumentsKey || 'arguments') ?? ''
  if (patterns.argument.length === 0) {
    return { name, arguments: readArgumentText(text, { wrapsText: settings.automaticToolParsingFallback === true }) }
  }
  const key = settings.argumentRegexKeyName || 'key'
  const value = settings.argumentRegexValueName || 'value'
  const members = new Map<string, string>()
  for (const { named } of patterns.argument.flatMap((pattern) => pattern.matches(text, MAX_CALLS))) {
    members.set(named.get(key) ?? '', named.get(value) ?? '')
  }
  const json = [...members].map((member) => member.map((part) => JSON.stringify(part)).join(':'))
  return { name, arguments: `{${json.join(',')}}` }
}

/** Reads the JSON that the first matching pattern points at; returns false if no pattern matches. */
function readJsonParts(text: string, reader: ReplyReader, patterns: readonly Pattern[]): boolean {
  for (const pattern of patterns) {
    const matches = pattern.matches(text, MAX_CALLS)
    let from = 0
    for (const match of matches) {
      reader.sink.text(text.slice(from, match.start))
      const calls = callsIn(match.groups[1] ?? match.groups[0] ?? '', reader.options)
      if (!reader.sink.offer(calls, true)) reader.sink.text(text.slice(match.start, match.end))
      from = match.end
    }
    if (matches.length === 0) continue
    reader.sink.text(text.slice(from))
    return true
  }
  return false
}

/** Reads the calls of a text that holds calls for certain; they may name any tool. */
function callsIn(text: string, { settings, markers }: ToolCallOptions): readonly OfferedCall[] {
  const options = { settings, markers }
  const found: OfferedCall[] = []
  const sink: CallSink = {
    text: () => undefined,
    offer(parts) {
      const isCall = parts.some(({ call }) => call !== undefined) && found.length + parts.length <= MAX_CALLS
      if (isCall) found.push(...parts)
      return isCall
    },
    closings: new Set(),
    close: () => false,
    hasCalls: false,
    finish: () => undefined,
    take: () => [],
  }
  readAll(text, { options, grammar: createGrammar(options, { takesBareJson: true }), sink })
  return found
}
