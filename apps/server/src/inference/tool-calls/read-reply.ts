import type { CallSink } from './call-sink.ts'
import { FENCE, type Grammar, type Path } from './grammar.ts'
import { readJsonCalls } from './json-calls.ts'
import { escapeLineBreaks } from './json-text.ts'
import { readId, readJson, readTaggedCall, type TaggedCall } from './read-call.ts'
import { toArgumentsJson } from './tagged-values.ts'
import { lookingAt, more, peek, type Reading, readLiteral, skipGap, type TextCursor } from './text-cursor.ts'
import type { KnownTool, ParsedToolCall, ToolCallOptions } from './tool-call.ts'

/** What reading a reply needs beside the text. */
export interface ReplyReader {
  readonly options: ToolCallOptions
  readonly grammar: Grammar
  readonly sink: CallSink
}

/**
 * Reads a reply to its end. Every unit is read once: where something that began like a call turns out to be none, it is
 * text, and reading goes on where that was seen.
 */
export function* readReply(cursor: TextCursor, reader: ReplyReader): Reading<void> {
  const { grammar, sink } = reader
  do {
    const { text, end } = cursor
    while (cursor.at < end && !grammar.triggers.has(text.charCodeAt(cursor.at))) cursor.at++
    sink.text(cursor.read)
    cursor.mark()
    if (cursor.at === end) continue
    const isDropped = yield* readMarker(cursor, reader)
    if (!isDropped) sink.text(cursor.read)
    cursor.mark()
  } while (cursor.at < cursor.end || (yield* more(cursor)))
}

/** Reads what begins at a trigger; false when it is text. */
function* readMarker(cursor: TextCursor, reader: ReplyReader): Reading<boolean> {
  const { grammar, sink } = reader
  const match = yield* readLiteral(cursor, grammar.literals)
  const literal = grammar.literals[match]
  if (literal !== undefined) {
    if (sink.closings.delete(literal)) return true
    return literal === FENCE ? yield* readFence(cursor, reader) : yield* readOpening(cursor, reader, literal)
  }
  if (grammar.takesBareJson && isJsonStart(yield* peek(cursor))) return yield* readJsonCall(cursor, reader)
  const rest = cursor.text.slice(cursor.at, cursor.end)
  if (isCutClosing(rest, sink.closings)) {
    cursor.at += rest.length
    return true
  }
  cursor.at++
  return false
}

/** Reads a call in a code block, whose fence then goes with it. */
function* readFence(cursor: TextCursor, reader: ReplyReader): Reading<boolean> {
  const { grammar, sink } = reader
  const start = cursor.offset
  while (isInfoUnit(yield* peek(cursor)) && cursor.offset - start < MAX_INFO_LENGTH) cursor.at++
  yield* skipGap(cursor)
  const match = yield* readLiteral(cursor, grammar.openingLiterals)
  const literal = grammar.openingLiterals[match]
  const isJson = literal === undefined && grammar.takesBareJson && isJsonStart(yield* peek(cursor))
  const isCall =
    literal !== undefined
      ? yield* readOpening(cursor, reader, literal)
      : isJson && (yield* readJsonCall(cursor, reader))
  if (isCall) sink.closings.add(FENCE)
  return isCall
}

/** Reads what follows an opening marker: further markers, then calls. */
function* readOpening(cursor: TextCursor, reader: ReplyReader, literal: string): Reading<boolean> {
  let paths = reader.grammar.openings.get(literal) ?? []
  let id: string | undefined
  for (;;) {
    yield* skipGap(cursor)
    const direct = paths.filter(({ rest }) => rest.length === 0)
    const json = direct.find((path) => path.kind === 'json')
    if (json !== undefined && isJsonStart(yield* peek(cursor))) return yield* readWrappedJson(cursor, reader, json)
    id ??= yield* readIdBeforeName(cursor, paths)
    const next = [...new Set(paths.flatMap(({ rest }) => rest.slice(0, 1)))].sort((a, b) => b.length - a.length)
    const match = yield* readLiteral(cursor, next)
    if (match < 0) {
      const tagged = direct.find((path) => path.kind === 'tagged')
      return tagged !== undefined && (yield* readTaggedCalls(cursor, reader, { path: tagged, id }))
    }
    paths = paths.filter(({ rest }) => rest[0] === next[match]).map((path) => ({ ...path, rest: path.rest.slice(1) }))
  }
}

function* readIdBeforeName(cursor: TextCursor, paths: readonly Path[]): Reading<string | undefined> {
  const path = paths.find((each) => each.kind === 'tagged' && each.form.id?.place === 'before-name')
  if (path?.kind !== 'tagged' || path.rest.length !== 1) return undefined
  const span = yield* readId(cursor, path.form.id, 'before-name')
  yield* skipGap(cursor)
  return span && cursor.read.slice(span.start, span.end).trim()
}

/** Reads the calls of a scope, or the one call where there is none. Each counts once something whole follows it. */
function* readTaggedCalls(
  cursor: TextCursor,
  reader: ReplyReader,
  start: { readonly path: Extract<Path, { kind: 'tagged' }>; readonly id: string | undefined },
): Reading<boolean> {
  const { sink } = reader
  const { form, isScoped } = start.path
  const scopeEnd = form.scope?.end ?? ''
  const next = form.callStart || form.toolStart
  const followers = [scopeEnd, next].sort((a, b) => b.length - a.length)
  let { id } = start
  for (;;) {
    const call = yield* readTaggedCall(cursor, form)
    if (call === undefined) return false
    const parsed = toParsedCall(call, start.path.form, reader.options, id)
    if (!isScoped) {
      if (!sink.offer([parsed], true)) return false
      if (scopeEnd !== '') sink.closings.add(scopeEnd)
      return true
    }
    yield* skipGap(cursor)
    const match = yield* lookingAt(cursor, followers)
    if ((match < 0 && !cursor.isDone) || !sink.offer([parsed], true)) return false
    cursor.mark()
    if (match < 0) return true
    yield* readLiteral(cursor, followers)
    if (followers[match] === scopeEnd) return true
    sink.closings.add(scopeEnd)
    id = undefined
    if (form.callStart !== '') {
      yield* skipGap(cursor)
      if ((yield* readLiteral(cursor, [form.toolStart])) < 0) return false
    }
  }
}

function toParsedCall(
  call: TaggedCall,
  form: Extract<Path, { kind: 'tagged' }>['form'],
  options: ToolCallOptions,
  id = call.id,
): ParsedToolCall {
  const name = form.cleanName?.(call.name) || call.name
  const tool = options.tools?.find((each) => each.name === name)
  const json =
    'json' in call.arguments
      ? call.arguments.json
      : toArgumentsJson(call.arguments.values, form.values ?? { isRaw: false, isTrimmed: false }, (key) =>
          isTextParameter(tool, key),
        )
  return { name, arguments: json, ...(id === undefined ? {} : { id }) }
}

/** Whether the schema of a tool says that a parameter is text. */
function isTextParameter(tool: KnownTool | undefined, key: string): boolean {
  const properties = memberOf(tool?.parameters, 'properties')
  return memberOf(memberOf(properties, key), 'type') === 'string'
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.entries(value).find(([name]) => name === key)?.[1]
}

function* readWrappedJson(
  cursor: TextCursor,
  reader: ReplyReader,
  path: Extract<Path, { kind: 'json' }>,
): Reading<boolean> {
  const isCall = yield* readJsonCall(cursor, reader, true)
  if (isCall) for (const end of path.ends) reader.sink.closings.add(end)
  return isCall
}

/** Reads JSON that may be one or several calls. */
function* readJsonCall(cursor: TextCursor, reader: ReplyReader, isWrapped = false): Reading<boolean> {
  const { grammar, sink, options } = reader
  const start = cursor.offset
  const opening = yield* peek(cursor)
  if (opening === OPEN_BRACKET && !(yield* isArrayOfObjects(cursor))) return false
  const { status, hasRawLineBreak } = yield* readJson(cursor)
  if (status !== 'done') {
    // Of doubled brackets neither begins a call.
    const isDoubled = isJsonStart(yield* peek(cursor)) && cursor.read.slice(start + 1).trim() === ''
    if (isDoubled) cursor.at++
    return false
  }
  const json = cursor.read.slice(start)
  const calls = readJsonCalls(hasRawLineBreak ? escapeLineBreaks(json) : json, grammar.shapes, {
    wrapsText: options.settings.automaticToolParsingFallback === true,
  })
  return calls !== undefined && sink.offer(calls, isWrapped || sink.closings.size > 0)
}
