import { holdsNextCall } from './holds-next-call.ts'
import { type JsonRoot, JsonScanner } from './json-scanner.ts'
import { escapeLineBreaks } from './json-text.ts'
import { MAX_NAME_LENGTH } from './limits.ts'
import type { IdForm, TagForm, ValueForm } from './tag-form.ts'
import type { TaggedValue } from './tagged-values.ts'
import { lookingAt, more, peek, type Reading, readLiteral, readUntil, skipGap, type TextCursor } from './text-cursor.ts'

/** A complete call between markers, not yet accepted as one. */
export interface TaggedCall {
  readonly name: string
  readonly id?: string | undefined
  readonly arguments: { readonly json: string } | { readonly values: readonly TaggedValue[] }
}

/** Offsets from the cursor's mark: the read text is cut only once, at the end. */
interface Span {
  readonly start: number
  readonly end: number
}

type ArgumentSpans =
  | { readonly kind: 'json'; readonly span: Span; readonly hasRawLineBreak: boolean }
  | { readonly kind: 'values'; readonly pairs: readonly { readonly key: Span; readonly value: Span }[] }

/**
 * Reads a call after its `toolStart`, up to and including its last marker. Returns undefined for a text that is not a
 * call or is incomplete at the end of the reply. End markers that a stop word cut off may be missing.
 */
export function* readTaggedCall(cursor: TextCursor, form: TagForm): Reading<TaggedCall | undefined> {
  const name = yield* readName(cursor, form.nameEnd)
  if (name === undefined) return undefined
  const idBefore = yield* readId(cursor, form.id, 'before-arguments')
  yield* skipGap(cursor)
  if (form.argumentsStart !== '') yield* readLiteral(cursor, [form.argumentsStart])
  yield* skipGap(cursor)
  const spans = yield* readArguments(cursor, form)
  if (spans === undefined) return undefined
  const idAfter = yield* readId(cursor, form.id, 'after-arguments')
  yield* skipGap(cursor)
  if (form.argumentsEnd !== '') yield* readLiteral(cursor, [form.argumentsEnd])
  if (!(yield* readEnds(cursor, form, spans.kind === 'json'))) return undefined
  return toCall(cursor.read, { form, name, id: idBefore ?? idAfter, spans })
}

/** Reads the id of a call if there is one at this place. */
export function* readId(
  cursor: TextCursor,
  form: IdForm | undefined,
  place: IdForm['place'],
): Reading<Span | undefined> {
  if (form?.place !== place) return undefined
  yield* skipGap(cursor)
  if ((yield* readLiteral(cursor, [form.start])) < 0) return undefined
  return yield* readName(cursor, form.end)
}

/** Reads one JSON value; where it fails, up to the first unit that does not belong to one. */
export function* readJson(cursor: TextCursor, root?: JsonRoot): Reading<JsonScanner> {
  const scanner = new JsonScanner(root)
  do {
    cursor.at = scanner.scan(cursor.text, cursor.at, cursor.end)
  } while (scanner.status === 'open' && (yield* more(cursor)))
  scanner.finish()
  return scanner
}

function* readName(cursor: TextCursor, end: string): Reading<Span | undefined> {
  return end === '' ? yield* readWord(cursor) : yield* readLine(cursor, end)
}

function* readWord(cursor: TextCursor): Reading<Span | undefined> {
  yield* skipGap(cursor)
  const start = cursor.offset
  while (isWordUnit(yield* peek(cursor)) && cursor.offset - start <= MAX_NAME_LENGTH) cursor.at++
  const span = { start, end: cursor.offset }
  return span.end === start || span.end - start > MAX_NAME_LENGTH ? undefined : span
}

/** Reads a name or key up to its end: one line of limited length without another tag. */
function* readLine(cursor: TextCursor, end: string): Reading<Span | undefined> {
  yield* skipGap(cursor)
  const start = cursor.offset
  for (;;) {
    const unit = yield* peek(cursor)
    const { offset } = cursor
    if (unit === end.charCodeAt(0) && (yield* readLiteral(cursor, [end])) >= 0) {
      return offset === start ? undefined : { start, end: offset }
    }
    if (unit < 0 || unit === LINE_FEED || unit === LESS_THAN || offset - start === MAX_NAME_LENGTH) return undefined
    cursor.at++
  }
}

function* readArguments(cursor: TextCursor, form: TagForm): Reading<ArgumentSpans | undefined> {
  if (form.takesJson && (yield* peek(cursor)) === OPEN_BRACE) {
    const start = cursor.offset
    const { status, hasRawLineBreak } = yield* readJson(cursor)
    return status === 'done' ? { kind: 'json', span: { start, end: cursor.offset }, hasRawLineBreak } : undefined
  }
  const pairs: { key: Span; value: Span }[] = []
  if (form.values === undefined) return { kind: 'values', pairs }
  const followers = listFollowers(form, form.values)
  const { keyStart } = form.values
  // The end of a call may begin like its keys.
  while (followers[yield* lookingAt(cursor, followers)] === keyStart) {
    yield* readLiteral(cursor, [keyStart])
    const key = yield* readLine(cursor, form.values.keyEnd)
    if (key === undefined) return undefined
    const value = yield* readValue(cursor, form.values, followers)
    if (value === undefined) return undefined
    pairs.push({ key, value })
  }
  return { kind: 'values', pairs }
}

function* readValue(cursor: TextCursor, form: ValueForm, followers: readonly string[]): Reading<Span | undefined> {
  if (form.valueStart !== '') {
    yield* skipGap(cursor)
    if ((yield* readLiteral(cursor, [form.valueStart])) < 0) return undefined
  }
  const start = cursor.offset
  if (form.valueEnds.length === 0) {
    const { status } = yield* readJson(cursor)
    const end = cursor.offset
    yield* skipSeparator(cursor, form)
    return status === 'done' ? { start, end } : undefined
  }
  for (;;) {
    const end = yield* readUntil(cursor, form.valueEnds)
    if (end === undefined) return undefined
    yield* skipSeparator(cursor, form)
    // An end marker is part of the value unless a follower of the form comes after it.
    if (followers.length === 1 || (yield* lookingAt(cursor, followers)) >= 0) return { start, end }
  }
}

function* skipSeparator(cursor: TextCursor, { separator }: ValueForm): Reading<void> {
  yield* skipGap(cursor)
  if (separator !== '') yield* readLiteral(cursor, [separator])
  yield* skipGap(cursor)
}

/** Markers that may follow a value: a key, and the ends of the form. */
function listFollowers(form: TagForm, values: ValueForm): readonly string[] {
  const id = form.id?.place === 'after-arguments' ? form.id.start : ''
  const ends = [id, form.argumentsEnd, ...form.toolEnds, form.callEnd, form.scope?.end ?? '']
  return [values.keyStart, ...ends.filter((end) => end !== '')].sort((a, b) => b.length - a.length)
}

function* readEnds(cursor: TextCursor, form: TagForm, isWhole: boolean): Reading<boolean> {
  yield* skipGap(cursor)
  if (form.toolEnds.length > 0 && (yield* readLiteral(cursor, form.toolEnds)) < 0) return isWhole && cursor.isDone
  if (form.callEnd === '') return true
  yield* skipGap(cursor)
  return (yield* readLiteral(cursor, [form.callEnd])) >= 0 || cursor.isDone
}

function toCall(
  text: string,
  parts: {
    readonly form: TagForm
    readonly name: Span
    readonly id: Span | undefined
    readonly spans: ArgumentSpans
  },
): TaggedCall | undefined {
  const cut = ({ start, end }: Span): string => text.slice(start, end)
  const { form, name, id, spans } = parts
  const trimmed = cut(name).trim()
  if (trimmed === '') return undefined
  const named = { name: trimmed, ...(id === undefined ? {} : { id: cut(id).trim() }) }
  if (spans.kind === 'values') {
    const values = spans.pairs.map(({ key, value }) => ({ key: cut(key).trim(), value: cut(value) }))
    return values.some(({ value }) => holdsNextCall(value, form)) ? undefined : { ...named, arguments: { values } }
  }
  const json = cut(spans.span)
  return { ...named, arguments: { json: spans.hasRawLineBreak ? escapeLineBreaks(json) : json } }
}

const LINE_FEED = 0x0a
const LESS_THAN = 0x3c
const OPEN_BRACE = 0x7b

function isWordUnit(unit: number): boolean {
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  return isLetter || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x2e || unit === 0x2d
}
