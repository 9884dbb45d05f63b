import { convertOffsets, type OffsetEncoding } from '../offsets.ts'
import type { Span } from '../span.ts'
import { toWellFormed } from '../well-formed.ts'

/** A private range of a text, by the group that a detector should report it under. */
export interface Label extends Span {
  readonly group: string
}

/** A text with its private ranges, in UTF-16 code units. */
export interface LabelledText {
  readonly text: string
  readonly labels: readonly Label[]
}

/** The content of a line, or the reason why it has none. */
export type LineReading =
  | { readonly ok: true; readonly value: LabelledText }
  | { readonly ok: false; readonly reason: string }

/** Most characters of one line: a longer one is not a record of a data set. */
const LONGEST_LINE = 4 << 20

/**
 * Reads a line: `{"text": "…", "spans": [{"start": 0, "end": 4, "group": "EMAIL"}]}`.
 *
 * @param offsetEncoding the unit of `start` and `end`
 */
export function readLabelledLine(line: string, offsetEncoding: OffsetEncoding): LineReading {
  if (line.length > LONGEST_LINE) return refuse(`longer than ${LONGEST_LINE} characters`)
  const record = parse(line)
  if (record === undefined) return refuse('no JSON object')
  const { text, spans } = record
  if (typeof text !== 'string') return refuse('text is missing or no text')
  if (toWellFormed(text) !== text) return refuse('text holds half of a character')
  if (!Array.isArray(spans)) return refuse('spans is missing or no list')
  const labels: Label[] = []
  for (const [index, span] of spans.entries()) {
    const label = readLabel(span, text, offsetEncoding)
    if (typeof label === 'string') return refuse(`spans[${index}]: ${label}`)
    labels.push(label)
  }
  return { ok: true, value: { text, labels } }
}

function readLabel(span: unknown, text: string, from: OffsetEncoding): Label | string {
  if (typeof span !== 'object' || span === null) return 'no object'
  const { start, end, group } = span as Readonly<Record<string, unknown>>
  if (typeof group !== 'string' || group === '') return 'group is missing'
  if (!isOffset(start) || !isOffset(end)) return 'start and end must be whole numbers from 0'
  const [length = 0] = convertOffsets(text, [text.length], { from: 'utf16', to: from })
  if (start >= end || end > length) return `${start} to ${end} is out of range, the text has ${length}`
  try {
    const [first = 0, last = 0] = convertOffsets(text, [start, end], { from, to: 'utf16' })
    return { start: first, end: last, group }
  } catch {
    return `${start} to ${end} cuts a character`
  }
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function refuse(reason: string): LineReading {
  return { ok: false, reason }
}
