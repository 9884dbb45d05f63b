import { applySplices, parseJson } from '@svc/json'
import { collectSegments, type SegmentCollection } from '../collect-segments.ts'
import type { DocumentFormat } from '../format-shapes.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The texts of a body, given as JSON or as a value. */
export function collect(format: DocumentFormat, body: unknown): SegmentCollection {
  return collectSegments(parseJson(encode(typeof body === 'string' ? body : JSON.stringify(body))), format)
}

/** The scanned texts, as `path: text` lines. */
export function listTexts(format: DocumentFormat, body: unknown): string[] {
  return toLines(collect(format, body).segments.filter(({ isId }) => !isId))
}

/** The ids of a body, as `path: id` lines. */
export function listIds(format: DocumentFormat, body: unknown): string[] {
  return toLines(collect(format, body).segments.filter(({ isId }) => isId))
}

function toLines(segments: SegmentCollection['segments']): string[] {
  return segments.map(({ path, text }) => `${path}: ${text}`)
}

/** The body after replacing every occurrence of a word in a segment. */
export function replaceIn(format: DocumentFormat, source: string, word: string, mask = '[X]'): string {
  const bytes = encode(source)
  const { segments, toSplices } = collectSegments(parseJson(bytes), format)
  const hits = segments.filter(({ text }) => text.includes(word))
  const rewritten = toSplices(new Map(hits.map((segment) => [segment, segment.text.replaceAll(word, mask)])))
  if (rewritten.kind !== 'splices') throw new Error(`collision at ${rewritten.segment.path}`)
  return decode(applySplices(bytes, rewritten.splices))
}
