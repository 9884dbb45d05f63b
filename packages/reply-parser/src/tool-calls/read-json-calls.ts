import { readJsonCalls } from './json-calls.ts'
import { escapeLineBreaks } from './json-text.ts'
import { readJson } from './read-call.ts'
import type { ReplyReader } from './reply-reader.ts'
import { peek, type Reading, type TextCursor } from './text-cursor.ts'

/** Whether a unit begins JSON that can be a call. */
export function isJsonStart(unit: number): boolean {
  return unit === 0x7b || unit === 0x5b
}

/** Reads JSON that may be one call or several; false when it is text. */
export function* readBareJson(
  cursor: TextCursor,
  reader: ReplyReader,
  { isMarked }: { readonly isMarked: boolean },
): Reading<boolean> {
  const start = cursor.offset
  const { status, hasRawLineBreak } = yield* readJson(cursor, 'calls')
  if (status !== 'done') {
    if (isJsonStart(yield* peek(cursor)) && endsWithBracket(cursor.read)) cursor.at++
    return false
  }
  const json = cursor.read.slice(start)
  const calls = readJsonCalls(hasRawLineBreak ? escapeLineBreaks(json) : json, reader.grammar.shapes, {
    wrapsText: reader.options.settings.automaticToolParsingFallback === true,
  })
  return calls !== undefined && reader.sink.offer(calls, isMarked)
}

/** Doubled brackets, as in templates, begin no call. */
function endsWithBracket(text: string): boolean {
  const last = text.trimEnd().at(-1)
  return last === '{' || last === '['
}
