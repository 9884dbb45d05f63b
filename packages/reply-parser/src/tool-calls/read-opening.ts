import { type Attempt, CALL, toText } from './attempt.ts'
import type { Path, TaggedPath } from './grammar.ts'
import { isTextParameter } from './known-tools.ts'
import { readId, readTaggedCall, type TaggedCall } from './read-call.ts'
import { isJsonStart, readMarkedJson } from './read-json-calls.ts'
import type { ReplyReader } from './reply-reader.ts'
import type { TagForm } from './tag-form.ts'
import { toArgumentsJson } from './tagged-values.ts'
import { lookingAt, peek, type Reading, readLiteral, skipGap, type TextCursor } from './text-cursor.ts'
import type { KnownTool, ParsedToolCall } from './tool-call.ts'

/** Reads after an opening marker: the markers inside it, then calls. */
export function* readOpening(cursor: TextCursor, reader: ReplyReader, literal: string): Reading<Attempt> {
  let paths = reader.grammar.openings.get(literal) ?? []
  let id: string | undefined
  for (;;) {
    yield* skipGap(cursor)
    const direct = paths.filter(({ rest }) => rest.length === 0)
    const json = direct.find((path) => path.kind === 'json')
    if (json !== undefined && isJsonStart(yield* peek(cursor))) return yield* readMarkedJson(cursor, reader, json.ends)
    id ??= yield* readIdBeforeName(cursor, paths)
    const next = [...new Set(paths.flatMap(({ rest }) => rest.slice(0, 1)))].sort((a, b) => b.length - a.length)
    const match = yield* readLiteral(cursor, next)
    if (match < 0) {
      const tagged = direct.find((path) => path.kind === 'tagged')
      return tagged === undefined ? toText(cursor.offset) : yield* readTaggedCalls(cursor, reader, { path: tagged, id })
    }
    paths = paths.filter(({ rest }) => rest[0] === next[match]).map((path) => ({ ...path, rest: path.rest.slice(1) }))
  }
}

function* readIdBeforeName(cursor: TextCursor, paths: readonly Path[]): Reading<string | undefined> {
  const path = paths.find((each) => each.kind === 'tagged' && each.rest.length === 1)
  const span = path?.kind === 'tagged' ? yield* readId(cursor, path.form.id, 'before-name') : undefined
  yield* skipGap(cursor)
  return span && cursor.read.slice(span.start, span.end).trim()
}

/** The beginning of a tagged call. */
interface CallStart {
  readonly path: TaggedPath
  readonly id: string | undefined
}

/**
 * Reads one call, or all calls of a scope. In a scope each call becomes valid once another call or the end of the scope
 * follows.
 */
function* readTaggedCalls(cursor: TextCursor, reader: ReplyReader, start: CallStart): Reading<Attempt> {
  const { sink } = reader
  const { form, isScoped } = start.path
  const scopeEnd = form.scope?.end ?? ''
  const followers = [scopeEnd, ...callStarts(form)].sort((a, b) => b.length - a.length)
  let { id } = start
  for (;;) {
    const from = cursor.offset
    const call = yield* readTaggedCall(cursor, form)
    if (call === undefined) return toText(from)
    const offered = { call: toParsedCall(call, { form, reader, id }), source: cursor.read }
    if (!isScoped) {
      if (!sink.offer([offered], true)) return toText(cursor.offset)
      if (scopeEnd !== '') sink.closings.add(scopeEnd)
      return CALL
    }
    yield* skipGap(cursor)
    const match = yield* lookingAt(cursor, followers)
    if (match < 0 && !cursor.isDone) return toText(from)
    if (!sink.offer([offered], true)) return toText(cursor.offset)
    cursor.mark()
    sink.closings.add(scopeEnd)
    if (match < 0 || (yield* readLiteral(cursor, [scopeEnd])) >= 0) {
      sink.close(scopeEnd)
      return CALL
    }
    if (form.callStart !== '') yield* readLiteral(cursor, [form.callStart])
    id = yield* readIdBeforeName(cursor, [{ ...start.path, rest: [form.toolStart] }])
    if ((yield* readLiteral(cursor, [form.toolStart])) < 0) return toText(cursor.offset)
  }
}

/** Markers that may begin the next call of a scope. */
function callStarts(form: TagForm): readonly string[] {
  if (form.callStart !== '') return [form.callStart]
  return form.id?.place === 'before-name' ? [form.id.start, form.toolStart] : [form.toolStart]
}

function toParsedCall(
  call: TaggedCall,
  context: { readonly form: TagForm; readonly reader: ReplyReader; readonly id: string | undefined },
): ParsedToolCall {
  const { form, reader } = context
  const name = form.cleanName?.(call.name) || call.name
  const tool = reader.options.tools?.find((each) => each.name === name)
  const id = context.id ?? call.id
  return { name, arguments: toJson(call, form, tool), ...(id === undefined ? {} : { id }) }
}

function toJson(call: TaggedCall, form: TagForm, tool: KnownTool | undefined): string {
  if ('json' in call.arguments) return call.arguments.json
  const values = form.values ?? { isRaw: false, isTrimmed: false }
  return toArgumentsJson(call.arguments.values, values, (key) => isTextParameter(tool, key))
}
