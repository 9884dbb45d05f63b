import { type Attempt, CALL, toText } from './attempt.ts'
import { findNextCall } from './find-next-call.ts'
import { FENCE } from './grammar.ts'
import { MAX_MARKER_LENGTH, MAX_REREAD_LENGTH } from './limits.ts'
import { isJsonStart, readBareJson } from './read-json-calls.ts'
import { readOpening } from './read-opening.ts'
import type { ReplyReader } from './reply-reader.ts'
import { more, peek, type Reading, readLiteral, skipGap, type TextCursor } from './text-cursor.ts'

/** Longest word after a fence. */
const MAX_INFO_LENGTH = 32

/**
 * Reads a reply to its end. A beginning that turns out not to be a call is text. Reading continues inside of it where
 * another call may begin, else behind it. The units that are read again are limited, so that the time stays linear.
 */
export function* readReply(cursor: TextCursor, reader: ReplyReader): Reading<void> {
  const { grammar, sink } = reader
  let rereads = MAX_REREAD_LENGTH
  do {
    const { text, end } = cursor
    while (cursor.at < end && !grammar.triggers.has(text.charCodeAt(cursor.at))) cursor.at++
    sink.text(cursor.read)
    cursor.mark()
    if (cursor.at === end) continue
    const attempt = yield* readMarker(cursor, reader)
    if (attempt.kind !== 'call') {
      const next = findRestart(attempt, cursor, reader)
      const again = next === undefined ? 0 : cursor.offset - next
      if (next !== undefined && again <= rereads) {
        rereads -= again
        cursor.rewind(next)
      }
      sink.text(cursor.read)
    }
    cursor.mark()
  } while (cursor.at < cursor.end || (yield* more(cursor)))
}

/** The offset in the read text where another call may begin, if any. */
function findRestart(
  attempt: Exclude<Attempt, { readonly kind: 'call' }>,
  cursor: TextCursor,
  { grammar }: ReplyReader,
): number | undefined {
  if (attempt.kind === 'broken-list') return attempt.at
  return attempt.from < cursor.offset ? findNextCall(cursor.read, attempt.from, grammar) : undefined
}

/** Reads from a trigger. */
function* readMarker(cursor: TextCursor, reader: ReplyReader): Reading<Attempt> {
  const { grammar, sink } = reader
  const match = yield* readLiteral(cursor, grammar.literals)
  const literal = grammar.literals[match]
  if (literal !== undefined) {
    if (sink.close(literal)) return CALL
    return literal === FENCE ? yield* readFence(cursor, reader) : yield* readOpening(cursor, reader, literal)
  }
  if (grammar.takesBareJson && isJsonStart(yield* peek(cursor))) return yield* readBareJson(cursor, reader)
  const rest = cursor.text.slice(cursor.at, cursor.at + MAX_MARKER_LENGTH)
  const isDropped = isCutClosing(rest, sink.closings)
  cursor.at += isDropped ? rest.length : 1
  return isDropped ? CALL : toText(cursor.offset)
}

/** Reads a call at the beginning of a code block, whose fences then go with it. */
function* readFence(cursor: TextCursor, reader: ReplyReader): Reading<Attempt> {
  const { grammar, sink } = reader
  const start = cursor.offset
  while (isInfoUnit(yield* peek(cursor)) && cursor.offset - start < MAX_INFO_LENGTH) cursor.at++
  yield* skipGap(cursor)
  const match = yield* readLiteral(cursor, grammar.openingLiterals)
  const literal = grammar.openingLiterals[match]
  let attempt = toText(cursor.offset)
  if (literal !== undefined) attempt = yield* readOpening(cursor, reader, literal)
  else if (grammar.takesBareJson && isJsonStart(yield* peek(cursor))) attempt = yield* readBareJson(cursor, reader)
  if (attempt.kind === 'call') sink.closings.add(FENCE)
  return attempt
}

/** Whether the rest of a cut-off reply is the beginning of a marker that is dropped when complete. */
function isCutClosing(rest: string, closings: ReadonlySet<string>): boolean {
  return rest.length > 1 && [...closings].some((closing) => closing.startsWith(rest))
}

function isInfoUnit(unit: number): boolean {
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  return isLetter || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x2d
}
