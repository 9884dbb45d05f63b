import type { Neighbor } from '../classifiers/classification.ts'
import type { FoundEntry } from '../vector/ports.ts'

/** The part of an entry that the index keeps. */
export interface IndexedEntry {
  readonly id: string
  readonly labels: readonly string[]
}

/** The entries of one vector as bytes: texts that a model takes for the same share a vector. */
export function writePayload(entries: readonly IndexedEntry[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entries))
}

/** The entries of one vector; undefined for bytes without entries. A single entry may come without a list. */
export function readPayload(value: Uint8Array): IndexedEntry[] | undefined {
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))
    const entries: unknown[] = Array.isArray(read) ? read : [read]
    return entries.every(isIndexedEntry) && entries.length > 0 ? entries : undefined
  } catch {
    return undefined
  }
}

function isIndexedEntry(value: unknown): value is IndexedEntry {
  if (typeof value !== 'object' || value === null) return false
  const { id, labels } = value as Partial<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    Array.isArray(labels) &&
    labels.every((label) => typeof label === 'string') &&
    new Set(labels).size === labels.length
  )
}

/**
 * Found vectors as neighbours, at most `count`. A vector whose entries cannot be read is a neighbour that cannot vote.
 */
export function toNeighbors(found: readonly FoundEntry[], count: number): Neighbor[] {
  return found
    .flatMap(({ similarity, value }): Neighbor[] => {
      const entries = readPayload(value)
      if (entries === undefined) return [{ similarity }]
      return entries.map(({ id, labels }) => ({ id, similarity, labels }))
    })
    .slice(0, count)
}
