import { runInSlices, type SliceOptions } from '@svc/json'
import type { ScanDocument } from '../detector.ts'
import type { Span } from '../span.ts'
import { isInsideCharacter } from '../well-formed.ts'

/** A document as arrays that can be transferred to another thread without a copy. */
export interface PackedDocument {
  /** The text in pieces of UTF-8, each of whole characters. */
  readonly text: readonly Uint8Array<ArrayBuffer>[]
  /** Start and end of each segment. */
  readonly segments: Uint32Array<ArrayBuffer>
  /** Start and end of each run of segments that is a message. */
  readonly messages: Uint32Array<ArrayBuffer>
}

/** Between two checks of the time. */
const UNITS_PER_STEP = 1 << 17
const SPANS_PER_STEP = 10_000
/** Bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES = 3

/**
 * Packs a document and yields to other work meanwhile; sending a long string to a thread would not yield.
 *
 * @throws the signal's reason
 */
export async function packDocument(
  { text, segments, messages }: ScanDocument,
  options: SliceOptions,
): Promise<PackedDocument> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const encoder = new TextEncoder()
  const scratch = new Uint8Array((UNITS_PER_STEP + 1) * MAX_BYTES)
  let read = 0
  await runInSlices(() => {
    const full = read + UNITS_PER_STEP
    const end = isInsideCharacter(text, full) ? full + 1 : full
    const { written } = encoder.encodeInto(text.slice(read, end), scratch)
    pieces.push(scratch.slice(0, written))
    read = end
    return read >= text.length
  }, options)
  return { text: pieces, segments: await packSpans(segments, options), messages: await packSpans(messages, options) }
}

async function packSpans(spans: readonly Span[], options: SliceOptions): Promise<Uint32Array<ArrayBuffer>> {
  const packed = new Uint32Array(spans.length * 2)
  let at = 0
  await runInSlices(() => {
    const last = Math.min(spans.length, at + SPANS_PER_STEP)
    for (; at < last; at++) {
      packed[2 * at] = spans[at]?.start ?? 0
      packed[2 * at + 1] = spans[at]?.end ?? 0
    }
    return at === spans.length
  }, options)
  return packed
}

/** Unpacks a document. */
export function unpackDocument({ text, segments, messages }: PackedDocument): ScanDocument {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    text: text.map((piece) => decoder.decode(piece)).join(''),
    segments: unpackSpans(segments),
    messages: unpackSpans(messages),
  }
}

function unpackSpans(packed: Uint32Array): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < packed.length; at += 2) spans.push({ start: packed[at] ?? 0, end: packed[at + 1] ?? 0 })
  return spans
}
