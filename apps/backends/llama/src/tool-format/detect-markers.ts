import { NO_MARKERS, parseToolCalls, type ToolFormatMarkers } from '@svc/reply-parser'
import {
  FIRST,
  KEYS,
  measureCommonPrefix,
  measureCommonSuffix,
  type ProbeCall,
  SECOND,
  VALUES,
  type WrittenCalls,
} from './probe-calls.ts'

/**
 * Detects how a model writes calls, from its template's output for known calls. Undefined for a form that the parser
 * knows without markers, and for one that markers cannot describe.
 */
export function detectMarkers(written: WrittenCalls): ToolFormatMarkers | undefined {
  if (isUnderstood(written, undefined)) return undefined
  const candidates = [readJsonForm(written), readTaggedForm(written)]
  return candidates.find((markers) => markers !== undefined && isGeneral(markers) && isUnderstood(written, markers))
}

/** Whether no marker contains a part of the probes, as with keys that are tags. */
function isGeneral(markers: ToolFormatMarkers): boolean {
  const words = [FIRST.name, SECOND.name, FIRST.id, SECOND.id, ...KEYS, ...VALUES]
  return Object.values(markers).every((mark) => typeof mark !== 'string' || !words.some((word) => mark.includes(word)))
}

/** Checks that the reply parser finds the written calls in the text. */
function isUnderstood({ one, two }: WrittenCalls, markers: ToolFormatMarkers | undefined): boolean {
  const reads = (text: string, calls: readonly ProbeCall[]): boolean => {
    const found = parseToolCalls(text, { settings: {}, markers, tools: [FIRST, SECOND] }).calls
    return (
      found.length === calls.length &&
      calls.every(({ name, arguments: values }, index) => {
        const call = found[index]
        return call?.name === name && sameValues(call.arguments, values)
      })
    )
  }
  return reads(one, [FIRST]) && (two === undefined || reads(two, [FIRST, SECOND]))
}

function sameValues(json: string, values: ProbeCall['arguments']): boolean {
  try {
    const parsed: unknown = JSON.parse(json)
    return isRecord(parsed) && Object.entries(values).every(([key, value]) => parsed[key] === value)
  } catch {
    return false
  }
}

/** A range in a text. */
interface Span {
  readonly start: number
  readonly end: number
}

/** The texts around a call: before it, after it, and between two of them. */
interface Surroundings {
  readonly before: string
  readonly after: string
  readonly between: string | undefined
}

/** The markers around one call, and the markers around all calls. */
interface Frame {
  readonly sectionStart: string
  readonly sectionEnd: string
  readonly open: string
  readonly close: string
}

/** The text between two calls closes one and opens the next; further text belongs to the section. */
function toFrame({ before, after, between }: Surroundings): Frame {
  if (between === undefined) return { sectionStart: '', sectionEnd: '', open: before, close: after }
  const split = splitPlace(between, {
    from: between.length - measureCommonSuffix(before, between),
    to: measureCommonPrefix(after, between),
  })
  const opens = between.length - split
  const closes = split
  return {
    sectionStart: before.slice(0, before.length - opens),
    sectionEnd: after.slice(closes),
    open: before.slice(before.length - opens),
    close: after.slice(0, closes),
  }
}

/** The border between two calls: of the positions that fit the first one between two marks, else the first. */
function splitPlace(between: string, { from, to }: { readonly from: number; readonly to: number }): number {
  for (let place = from; place <= to; place += 1) {
    const isBetweenMarks = /[>\]|)\s]$/.test(between.slice(0, place)) && /^[<[|({]/.test(between.slice(place))
    if (isBetweenMarks) return place
  }
  return from
}

function readJsonForm({ one, two }: WrittenCalls): ToolFormatMarkers | undefined {
  const span = findObject(one, 0, FIRST.name)
  if (span === undefined) return undefined
  const shape = readShape(parseObject(one.slice(span.start, span.end)))
  if (shape === undefined) return undefined
  const frame = toFrame({
    before: withoutPunctuation(one.slice(0, span.start)),
    after: withoutPunctuation(one.slice(span.end)),
    between: betweenObjects(two),
  })
  return {
    ...NO_MARKERS,
    formatType: 'json_native',
    sectionStart: frame.sectionStart.trim(),
    sectionEnd: frame.sectionEnd.trim(),
    perCallStart: frame.open.trim(),
    perCallEnd: frame.close.trim(),
    ...shape,
  }
}

function betweenObjects(two: string | undefined): string | undefined {
  if (two === undefined) return undefined
  const first = findObject(two, 0, FIRST.name)
  const second = first && findObject(two, first.end, SECOND.name)
  return first && second && withoutPunctuation(two.slice(first.end, second.start))
}

/** Brackets and commas of a list of calls are JSON, not marks. */
function withoutPunctuation(text: string): string {
  return text.replace(/[[\s]+$/, '').replace(/^[\],\s]+/, '')
}

type Shape = Pick<ToolFormatMarkers, 'nameField' | 'argsField' | 'idField' | 'functionField' | 'funNameIsKey'>

/** Reads the keys of a call's parts. */
function readShape(call: Readonly<Record<string, unknown>> | undefined): Shape | undefined {
  if (call === undefined) return undefined
  const findKey = (object: Readonly<Record<string, unknown>>, holds: (value: unknown) => boolean): string =>
    Object.keys(object).find((key) => holds(object[key])) ?? ''
  const holdsArguments = (value: unknown): boolean =>
    typeof value === 'string' ? value.includes(KEYS[0]) : isRecord(value) && KEYS[0] in value
  if (holdsArguments(call[FIRST.name])) {
    return { nameField: '', argsField: '', idField: '', functionField: '', funNameIsKey: true }
  }
  const functionField = findKey(call, (value) => isRecord(value) && Object.values(value).includes(FIRST.name))
  const inner = functionField === '' ? call : call[functionField]
  if (!isRecord(inner)) return undefined
  const nameField = findKey(inner, (value) => value === FIRST.name)
  const argsField = findKey(inner, holdsArguments)
  if (nameField === '' || argsField === '') return undefined
  return {
    nameField,
    argsField,
    functionField,
    idField: findKey(call, (value) => value === FIRST.id),
    funNameIsKey: false,
  }
}

/** Reads a form with plain names, and arguments as JSON or as tagged values. */
function readTaggedForm(written: WrittenCalls): ToolFormatMarkers | undefined {
  const nameEnd = written.one.indexOf(FIRST.name) + FIRST.name.length
  const json = findObject(written.one, nameEnd, KEYS[0])
  return json === undefined ? readTaggedValues(written, nameEnd) : readTaggedJson(written, nameEnd, json)
}

function readTaggedJson({ one, two }: WrittenCalls, nameEnd: number, json: Span): ToolFormatMarkers {
  const firstInTwo = two === undefined ? undefined : findObject(two, two.indexOf(FIRST.name), KEYS[0])
  const frame = toFrame({
    before: one.slice(0, nameEnd - FIRST.name.length),
    after: one.slice(json.end),
    between: firstInTwo && two?.slice(firstInTwo.end, two.indexOf(SECOND.name)),
  })
  return { ...tagMarkers('tag_with_json', frame), ...splitId(one.slice(nameEnd, json.start)) }
}

/** An id may be between name and arguments. */
function splitId(text: string): Partial<ToolFormatMarkers> {
  const at = text.indexOf(FIRST.id)
  if (at < 0) return { funcNameSuffix: text.trim() }
  return {
    callIdPosition: 'between_func_and_args',
    callIdPrefix: text.slice(0, at).trim(),
    callIdSuffix: text.slice(at + FIRST.id.length).trim(),
  }
}

function readTaggedValues({ one, two }: WrittenCalls, nameEnd: number): ToolFormatMarkers | undefined {
  const words = [KEYS[0], VALUES[0], KEYS[1], VALUES[1]].map((word) => one.indexOf(word, nameEnd))
  const [firstKey = -1, firstValue = -1, secondKey = -1, secondValue = -1] = words
  if (firstKey < 0 || firstValue < firstKey || secondKey < firstValue || secondValue < secondKey) return undefined
  const beforeFirst = one.slice(nameEnd, firstKey)
  const beforeSecond = one.slice(firstValue + VALUES[0].length, secondKey)
  const keyStart = measureCommonSuffix(beforeFirst, beforeSecond)
  const valueEnd = beforeSecond.slice(0, beforeSecond.length - keyStart)
  const afterValues = one.slice(secondValue + VALUES[1].length)
  const closes = measureCommonPrefix(valueEnd, afterValues)
  const frame = toFrame({
    before: one.slice(0, nameEnd - FIRST.name.length),
    after: afterValues.slice(closes),
    between: two?.slice(two.indexOf(VALUES[1]) + VALUES[1].length + closes, two.indexOf(SECOND.name)),
  })
  const [argNameSuffix, argValuePrefix] = splitMark(one.slice(firstKey + KEYS[0].length, firstValue))
  return {
    ...tagMarkers('tag_with_tagged', frame),
    funcNameSuffix: beforeFirst.slice(0, beforeFirst.length - keyStart).trim(),
    argNamePrefix: beforeFirst.slice(beforeFirst.length - keyStart).trim(),
    argNameSuffix,
    argValuePrefix,
    argValueSuffix: valueEnd.slice(0, closes).trim(),
    argSeparator: valueEnd.slice(closes).trim(),
  }
}

function tagMarkers(formatType: string, { sectionStart, sectionEnd, open, close }: Frame): ToolFormatMarkers {
  const opening = open.trim()
  const split = opening.search(/\s\S*$/)
  const [funcClose, perCallEnd] = splitMark(close)
  return {
    ...NO_MARKERS,
    formatType,
    sectionStart: sectionStart.trim(),
    sectionEnd: sectionEnd.trim(),
    perCallStart: split < 0 ? '' : opening.slice(0, split).trim(),
    funcNamePrefix: split < 0 ? opening : opening.slice(split).trim(),
    funcClose,
    perCallEnd,
  }
}

/** Splits two adjacent marks at white space, or at the end of a tag. */
function splitMark(text: string): [string, string] {
  const marks = text.trim()
  const at = marks.search(/\s|(?<=[>\]|])(?=[<[])/)
  return at < 0 ? [marks, ''] : [marks.slice(0, at), marks.slice(at).trim()]
}

/** Finds the first JSON object from `from` on that contains a word. */
function findObject(text: string, from: number, word: string): Span | undefined {
  for (let start = text.indexOf('{', from); start >= 0; start = text.indexOf('{', start + 1)) {
    const end = objectEnd(text, start)
    if (end !== undefined && text.slice(start, end).includes(word) && parseObject(text.slice(start, end))) {
      return { start, end }
    }
  }
  return undefined
}

function objectEnd(text: string, start: number): number | undefined {
  let depth = 0
  let isText = false
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at]
    if (isText) {
      if (letter === '\\') at += 1
      else if (letter === '"') isText = false
    } else if (letter === '"') isText = true
    else if (letter === '{') depth += 1
    else if (letter === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
