import { applySplices, encodeJsonString, type JsonNode, type Splice } from '@svc/json'
import { toWellFormed } from '../well-formed.ts'
import type { Layer, TextSegment } from './segment.ts'

/** Result of rewriting a body. */
export type Rewrite =
  | { readonly kind: 'splices'; readonly splices: readonly Splice[] }
  /** A key would become equal to another key of its object: the request must be refused. */
  | { readonly kind: 'key-collision'; readonly segment: TextSegment }

/** A string with halves of surrogate pairs, and its repaired form. */
export interface Repair {
  readonly layer: Layer
  readonly node: JsonNode
  readonly text: string
}

/** The layers of a body. */
interface Layers {
  /** Every layer after its outer one; the first is the body. */
  readonly layers: readonly Layer[]
  readonly repairs: readonly Repair[]
}

/** The edits of one layer by their start offset. */
interface Pending {
  readonly splices: Map<number, Splice>
  /** Whether a text was changed, beyond repairs. */
  isEdited: boolean
}

const UNCHANGED: Rewrite = { kind: 'splices', splices: [] }

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Builds the edits of the body that give segments new texts and repair strings; all other bytes stay. */
export function rewrite({ layers, repairs }: Layers, edits: ReadonlyMap<TextSegment, string>): Rewrite {
  if (repairs.length === 0 && edits.size === 0) return UNCHANGED
  const segment = findCollision(edits)
  if (segment !== undefined) return { kind: 'key-collision', segment }
  const pending = new Map<Layer, Pending>()
  const put = (layer: Layer, node: JsonNode, text: string, isEdited: boolean) => {
    let entry = pending.get(layer)
    if (entry === undefined) {
      entry = { splices: new Map(), isEdited: false }
      pending.set(layer, entry)
    }
    entry.splices.set(node.start, { start: node.start, end: node.end, replacement: encodeJsonString(text) })
    entry.isEdited ||= isEdited
  }
  for (const { layer, node, text } of repairs) put(layer, node, text, false)
  for (const [{ origin }, text] of edits) {
    put(origin.layer, origin.node, origin.encode === undefined ? text : origin.encode(toWellFormed(text)), true)
  }
  for (let index = layers.length - 1; index > 0; index--) {
    const layer = layers[index]
    const entry = layer && pending.get(layer)
    if (layer?.outer === undefined || entry === undefined) continue
    const { outer, document } = layer
    const splices = [...entry.splices.values()]
    if (outer.kind === 'text-of-string') {
      put(outer.layer, outer.node, decoder.decode(applySplices(document.bytes, splices)), entry.isEdited)
    } else if (entry.isEdited) {
      put(outer.layer, outer.node, decoder.decode(spliceInside(outer.node, splices)), true)
    } else {
      const around = pending.get(outer.layer)?.splices
      for (const splice of splices) around?.set(splice.start, splice)
      if (around === undefined) pending.set(outer.layer, entry)
    }
  }
  const [body] = layers
  const entry = body && pending.get(body)
  return { kind: 'splices', splices: entry === undefined ? [] : [...entry.splices.values()] }
}

/** The bytes of a value with edits whose offsets count from the start of its document. */
function spliceInside({ start: base, document, end }: JsonNode, splices: readonly Splice[]): Uint8Array {
  return applySplices(
    document.bytes.subarray(base, end),
    splices.map(({ start, end, replacement }) => ({ start: start - base, end: end - base, replacement })),
  )
}

/** The first edited key that would become equal to another key of its object. */
function findCollision(edits: ReadonlyMap<TextSegment, string>): TextSegment | undefined {
  const objects = new Map<JsonNode, Map<number, { segment: TextSegment; text: string }>>()
  for (const [segment, text] of edits) {
    const { object, node } = segment.origin
    if (object === undefined) continue
    const keys = objects.get(object) ?? new Map<number, { segment: TextSegment; text: string }>()
    objects.set(object, keys.set(node.index, { segment, text }))
  }
  for (const [object, keys] of objects) {
    const seen = new Map<string, TextSegment | undefined>()
    for (const { key } of object.entries()) {
      const edited = keys.get(key.index)
      const text = edited?.text ?? toWellFormed(key.text())
      const other = seen.get(text)
      if (seen.has(text) && (edited !== undefined || other !== undefined)) return edited?.segment ?? other
      if (!seen.has(text) || edited !== undefined) seen.set(text, edited?.segment)
    }
  }
  return undefined
}
