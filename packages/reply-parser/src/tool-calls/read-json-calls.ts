import { type Attempt, CALL, toText } from './attempt.ts'
import type { OfferedCall } from './call-sink.ts'
import { readJsonCalls } from './json-calls.ts'
import { escapeLineBreaks } from './json-text.ts'
import { readJson } from './read-call.ts'
import type { ReplyReader } from './reply-reader.ts'
import { peek, type Reading, skipGap, type TextCursor } from './text-cursor.ts'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b

/** Whether a unit begins JSON that can be a call. */
export function isJsonStart(unit: number): boolean {
  return unit === OPEN_BRACE || unit === OPEN_BRACKET
}

/** Reads JSON without a marker of its own: one call, or a list of calls. */
export function* readBareJson(cursor: TextCursor, reader: ReplyReader): Reading<Attempt> {
  const start = cursor.offset
  const isList = (yield* peek(cursor)) === OPEN_BRACKET
  const { status, hasRawLineBreak } = yield* readJson(cursor, 'calls')
  if (status !== 'done') {
    const next = yield* peek(cursor)
    if (isJsonStart(next) && endsWithBracket(cursor.read)) {
      cursor.at++
      return toText(cursor.offset)
    }
    // A list that is cut off is text.
    return isList && next >= 0 ? { kind: 'broken-list', at: start + 1 } : toText(start + 1)
  }
  const parts = toParts(cursor.read.slice(start), reader, hasRawLineBreak)
  return reader.sink.offer(withWholeSource(parts, cursor), reader.sink.closings.size > 0) ? CALL : toText(cursor.offset)
}

/** Reads JSON behind a marker: one call, or a list of which each item is taken when it is complete. */
export function* readMarkedJson(cursor: TextCursor, reader: ReplyReader, ends: readonly string[]): Reading<Attempt> {
  const { sink } = reader
  const take = (parts: readonly OfferedCall[]): boolean => {
    if (!sink.offer(parts, true)) return false
    for (const end of ends) sink.closings.add(end)
    return true
  }
  if ((yield* peek(cursor)) === OPEN_BRACKET) return yield* readMarkedList(cursor, reader, take)
  const start = cursor.offset
  const { status, hasRawLineBreak } = yield* readJson(cursor)
  if (status !== 'done') return toText(start + 1)
  const parts = toParts(cursor.read.slice(start), reader, hasRawLineBreak)
  return take(withWholeSource(parts, cursor)) ? CALL : toText(cursor.offset)
}

function* readMarkedList(
  cursor: TextCursor,
  reader: ReplyReader,
  take: (parts: readonly OfferedCall[]) => boolean,
): Reading<Attempt> {
  let untaken: OfferedCall[] = []
  let isTaken = false
  cursor.at++
  for (;;) {
    yield* skipGap(cursor)
    const start = cursor.offset
    if ((yield* peek(cursor)) !== OPEN_BRACE) return toText(start)
    const { status, hasRawLineBreak } = yield* readJson(cursor)
    if (status !== 'done') return toText(start + 1)
    untaken.push(...toParts(cursor.read.slice(start), reader, hasRawLineBreak))
    if (take(untaken)) isTaken = true
    else if (isTaken) for (const { source } of untaken) reader.sink.text(source)
    if (isTaken) {
      untaken = []
      cursor.mark()
    }
    yield* skipGap(cursor)
    const next = yield* peek(cursor)
    if (next === CLOSE_BRACKET) {
      cursor.at++
      return isTaken ? CALL : toText(cursor.offset)
    }
    if (next !== COMMA) return toText(cursor.offset)
    cursor.at++
    if (isTaken) cursor.mark()
  }
}

function toParts(json: string, { grammar, options }: ReplyReader, hasRawLineBreak: boolean): readonly OfferedCall[] {
  return readJsonCalls(hasRawLineBreak ? escapeLineBreaks(json) : json, grammar.shapes, {
    wrapsText: options.settings.automaticToolParsingFallback === true,
  })
}

/** A single part keeps the markers before it. */
function withWholeSource(parts: readonly OfferedCall[], cursor: TextCursor): readonly OfferedCall[] {
  return parts.length === 1 ? parts.map(({ call }) => ({ call, source: cursor.read })) : parts
}

/** Doubled brackets, as in templates, begin no call. */
function endsWithBracket(text: string): boolean {
  const last = text.trimEnd().at(-1)
  return last === '{' || last === '['
}
