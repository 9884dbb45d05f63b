import type { CallOptions, Clock, Embedder } from '../ports.ts'
import { giveTurn } from '../vector/give-turn.ts'
import { hashFloats } from '../vector/key-table.ts'
import type { VectorIndex } from '../vector/ports.ts'
import { embedTexts } from './embed-texts.ts'
import { type CorpusEntry, createEntryId, entryError } from './entry.ts'
import { formatLine, parseLine, type StoredEntry } from './line.ts'
import { type IndexedEntry, readPayload, writePayload } from './payload.ts'
import type { CorpusStore } from './ports.ts'

/** Entries by their ids. */
export type EntriesById = ReadonlyMap<string, StoredEntry>

/** A new entry and its place in the request. */
export interface NewEntry {
  readonly entry: CorpusEntry
  readonly place: number
}

/** The embedder of new entries, and the marks that their lines get. */
export interface EmbedEntriesOptions extends CallOptions {
  readonly embedder: Embedder
  readonly embeddingModel: string
  readonly fingerprint: string
  readonly clock: Clock
}

/**
 * New entries with their vectors.
 *
 * @throws `router_corpus_entry` for a text of which the model gives no usable vector
 */
export async function embedEntries(
  fresh: ReadonlyMap<string, NewEntry>,
  { embedder, embeddingModel, fingerprint, clock, signal, caller }: EmbedEntriesOptions,
): Promise<EntriesById> {
  const texts = [...fresh.values()].map(({ entry }) => entry.text)
  const vectors = await embedTexts(embedder, texts, { signal, caller, clock })
  const length = vectors[0]?.length
  const marks = { embeddingModel, embeddingFingerprint: fingerprint }
  return new Map(
    [...fresh].map(([id, { entry, place }], index) => {
      const vector = vectors[index]
      if (vector === undefined)
        throw entryError(`entries[${place}]`, ': the embedding model gives no usable vector for it')
      if (vector.length !== length)
        throw entryError(`entries[${place}]`, ': its vector has another length than the others')
      return [id, { text: entry.text, labels: [...entry.labels], vector, ...marks }]
    }),
  )
}

/** The entries whose vectors have the most frequent length: others cannot be compared with them. */
export function keepOneDimension(entries: EntriesById): {
  readonly fitting: EntriesById
  readonly dimension: number | undefined
} {
  const counts = new Map<number, number>()
  for (const { vector } of entries.values()) counts.set(vector.length, (counts.get(vector.length) ?? 0) + 1)
  const [dimension] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? []
  return { fitting: new Map([...entries].filter(([, { vector }]) => vector.length === dimension)), dimension }
}

/** The entries of one vector. */
interface VectorGroup {
  readonly key: Float32Array
  readonly entries: IndexedEntry[]
}

/**
 * Adds entries to an index. An entry whose vector is in the index already joins the entries under that vector. When
 * this rejects, some of the entries may be in the index.
 */
export async function indexEntries(index: VectorIndex, entries: EntriesById, { signal }: CallOptions): Promise<void> {
  const groups = groupByVector(entries)
  for (let first = 0; first < groups.length; first += GROUPS_PER_TURN) {
    if (first > 0) await giveTurn()
    const batch = groups.slice(first, first + GROUPS_PER_TURN)
    const keys = batch.map(({ key }) => key)
    const present = new Map<string, readonly IndexedEntry[]>()
    for (const { key, value } of await index.get(keys, { signal })) {
      present.set(Array.from(key).join(), readPayload(value) ?? [])
    }
    const added = batch.map((group) => {
      const own = new Set(group.entries.map(({ id }) => id))
      const before = present.size === 0 ? [] : (present.get(group.key.join()) ?? [])
      return { key: group.key, value: writePayload([...before.filter(({ id }) => !own.has(id)), ...group.entries]) }
    })
    await index.set(added, { signal })
  }
}

/** Vectors between which others get their turn. */
const GROUPS_PER_TURN = 1_024

function groupByVector(entries: EntriesById): VectorGroup[] {
  const groups = new Map<number, VectorGroup[]>()
  for (const [id, { vector, labels }] of entries) {
    const hash = hashFloats(vector)
    const near = groups.get(hash) ?? []
    const group = near.find(
      ({ key }) => key.length === vector.length && key.every((value, place) => value === vector[place]),
    )
    if (group === undefined) near.push({ key: vector, entries: [{ id, labels }] })
    else group.entries.push({ id, labels })
    groups.set(hash, near)
  }
  return [...groups.values()].flat()
}

/** The lines of a stored corpus with other vectors. Lines that cannot be read stay as they are, but for torn ones. */
export async function* rewriteLines(
  store: CorpusStore,
  name: string,
  { renewed, signal }: CallOptions & { readonly renewed: EntriesById },
): AsyncGenerator<string, void, undefined> {
  for await (const { text, isTorn } of store.read(name, { signal })) {
    if (isTorn || text === undefined) continue
    const parsed = parseLine(text)
    const entry = 'entry' in parsed ? renewed.get(createEntryId(parsed.entry.text)) : undefined
    yield entry === undefined ? text : formatLine(entry)
  }
}
