import { SvcError } from '@svc/errors'
import { createCallLimit } from '../call-limit.ts'
import type { Neighbor } from '../classifiers/classification.ts'
import { RouterError } from '../errors.ts'
import type { CallOptions } from '../ports.ts'
import type { Vector, VectorIndex } from '../vector/ports.ts'
import type { AddedEntries, Corpus, CorpusOptions, CorpusParts, CorpusStats } from './corpus.ts'
import { embedTexts } from './embed-texts.ts'
import { type CorpusEntry, checkEntries, createEntryId, entryError } from './entry.ts'
import {
  type EntriesById,
  embedEntries,
  indexEntries,
  keepOneDimension,
  type NewEntry,
  rewriteLines,
} from './index-entries.ts'
import { formatLine, type StoredEntry } from './line.ts'
import { type LineProblem, type LoadedCorpus, loadEntries, MAX_PROBLEMS } from './load-entries.ts'
import { type Lock, waitFor } from './lock.ts'
import { toNeighbors } from './payload.ts'

/** Time after a failed sync before the next try, milliseconds. */
const RETRY_AFTER_MS = 5_000
/** Requests that add entries at a time, each with its texts in memory. */
const MAX_ADDS = 4

/** The part of an entry that stays in memory beside the index. */
interface KnownEntry {
  readonly labels: readonly string[]
  readonly embeddingModel: string
}

/** Entries in the live index. */
interface Live {
  readonly index: VectorIndex
  readonly known: Map<string, KnownEntry>
  dimension: number | undefined
  readonly problems: readonly LineProblem[]
  readonly problemCount: number
}

/** A corpus; `createCorpora` makes it, so that a process has one of each name. */
export function createCorpus(options: CorpusOptions, parts: CorpusParts & { readonly lock: Lock }): Corpus {
  return new StoredCorpus(options, parts)
}

class StoredCorpus implements Corpus {
  readonly #options: CorpusOptions
  readonly #parts: CorpusParts & { readonly lock: Lock }
  readonly #closing = new AbortController()
  readonly #adds = createCallLimit(MAX_ADDS)
  #live: Live | undefined
  #syncing: Promise<Live> | undefined
  #failure: { readonly error: RouterError; readonly at: number } | undefined
  #revision = 0

  constructor(options: CorpusOptions, parts: CorpusParts & { readonly lock: Lock }) {
    this.#options = options
    this.#parts = parts
  }

  get fingerprint(): string {
    return this.#options.fingerprint
  }

  get isLive(): boolean {
    return this.#live !== undefined && this.#live.known.size > 0
  }

  revision(): number {
    return this.#revision
  }

  async sync({ signal }: CallOptions): Promise<void> {
    await this.#ensureLive(signal)
  }

  async findNeighbors(
    vector: Vector,
    { count, signal }: CallOptions & { readonly count: number },
  ): Promise<Neighbor[]> {
    const { index } = await this.#ensureLive(signal)
    return toNeighbors(await index.find(vector, { count, signal }), count)
  }

  async add(
    entries: readonly CorpusEntry[],
    { labels, signal, caller }: CallOptions & { readonly labels: ReadonlySet<string> },
  ): Promise<AddedEntries> {
    checkEntries(entries, labels)
    const leave = this.#adds.enter()
    if (leave === undefined) {
      throw new RouterError('rate_limited', 'too many requests add to this corpus', {
        code: 'router_corpus_busy',
        retryAfterMs: 1000,
      })
    }
    try {
      const { known } = await this.#ensureLive(signal)
      const fresh = new Map<string, NewEntry>()
      for (const [place, entry] of entries.entries()) {
        const id = createEntryId(entry.text)
        if (!known.has(id) && !fresh.has(id)) fresh.set(id, { entry, place })
      }
      const embedded = await embedEntries(fresh, { ...this.#options, clock: this.#parts.clock, signal, caller })
      return await this.#runLocked(signal, async () => {
        const current = this.#live ?? (await this.#load())
        const added = await this.#insert(current, embedded, signal)
        const { size: total } = current.known
        return { added, skipped: entries.length - added, total, labelCounts: countLabels(current.known.values()) }
      })
    } finally {
      leave()
    }
  }

  async readStats({ signal }: CallOptions): Promise<CorpusStats> {
    if (this.#live !== undefined) {
      const { known, problems, problemCount } = this.#live
      return { ...describe([...known.values()]), problems, problemCount }
    }
    const { entries, problems, problemCount } = await this.#read(signal)
    return { ...describe([...entries.values()]), problems, problemCount }
  }

  async readEntries({ signal }: CallOptions): Promise<readonly StoredEntry[]> {
    return [...(await this.#read(signal)).entries.values()]
  }

  async clear({ signal }: CallOptions): Promise<number> {
    return await this.#runLocked(signal, async () => {
      const size = this.#live?.known.size ?? (await this.#read(signal)).entries.size
      await this.#parts.store.remove(this.#options.name, { signal })
      this.#live = undefined
      this.#failure = undefined
      this.#revision++
      return size
    })
  }

  async refresh({ signal }: CallOptions): Promise<void> {
    if (this.#live === undefined) return
    await this.#runLocked(signal, async () => {
      if (this.#live !== undefined) await this.#load()
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new RouterError('cancelled', 'the corpus is closed', { code: 'router_corpus_sync' }))
    await this.#syncing?.catch(() => {})
  }

  /** Runs a task that changes the corpus. A caller may leave while its task waits: the task does not run then. */
  #runLocked<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const ran = this.#parts.lock.run(async () => {
      signal.throwIfAborted()
      return await task()
    })
    return waitFor(ran, signal)
  }

  #read(signal: AbortSignal) {
    return loadEntries(this.#parts.store, this.#options.name, { maxEntries: this.#parts.maxEntries, signal })
  }

  /** Each caller may leave; the sync goes on for the others. */
  async #ensureLive(signal: AbortSignal): Promise<Live> {
    signal.throwIfAborted()
    if (this.#live !== undefined) return this.#live
    const { clock } = this.#parts
    if (this.#failure !== undefined && clock.monotonic() - this.#failure.at < RETRY_AFTER_MS) throw this.#failure.error
    this.#syncing ??= this.#startSync()
    this.#syncing.catch(() => {})
    return await waitFor(this.#syncing, signal)
  }

  async #startSync(): Promise<Live> {
    const { lock, clock, logger } = this.#parts
    try {
      return await lock.run(async () => this.#live ?? (await this.#load()))
    } catch (cause) {
      const error = syncError(cause)
      this.#failure = { error, at: clock.monotonic() }
      logger?.warn(
        { corpus: this.#options.name, code: SvcError.is(cause) ? cause.code : undefined },
        'a corpus could not be loaded',
      )
      throw error
    } finally {
      this.#syncing = undefined
    }
  }

  /** Brings the stored entries into an index of their own; runs under the lock. */
  async #load(): Promise<Live> {
    const { createIndex, logger } = this.#parts
    const { signal } = this.#closing
    const { name } = this.#options
    const loaded = await this.#read(signal)
    const { fitting, dimension } = keepOneDimension(await this.#embedAnew(loaded.entries, signal))
    const index = createIndex()
    await indexEntries(index, fitting, { signal })
    const problemCount = loaded.problemCount + loaded.entries.size - fitting.size
    const problems = nameUnfit(loaded, fitting)
    if (problemCount > 0) logger?.warn({ corpus: name, problemCount, problems }, 'entries of a corpus do not serve')
    this.#live = { index, known: new Map([...fitting].map(toKnown)), dimension, problems, problemCount }
    this.#failure = undefined
    this.#revision++
    return this.#live
  }

  /** Replaces the vectors of another model by new ones, and leaves out entries without a usable vector. */
  async #embedAnew(entries: EntriesById, signal: AbortSignal): Promise<EntriesById> {
    const { name, embedder, embeddingModel, fingerprint } = this.#options
    const stale = [...entries].filter(([, { embeddingFingerprint }]) => embeddingFingerprint !== fingerprint)
    if (stale.length === 0) return entries
    const { store, clock } = this.#parts
    const texts = stale.map(([, { text }]) => text)
    const vectors = await embedTexts(embedder, texts, { signal, clock })
    const renewed = new Map<string, StoredEntry>()
    const serving = new Map(entries)
    for (const [index, [id, entry]] of stale.entries()) {
      const vector = vectors[index]
      if (vector === undefined) serving.delete(id)
      else {
        const changed = { ...entry, vector, embeddingModel, embeddingFingerprint: fingerprint }
        renewed.set(id, changed)
        serving.set(id, changed)
      }
    }
    await store.replace(name, rewriteLines(store, name, { renewed, signal }), { signal })
    return serving
  }

  /** Stores and indexes entries; runs under the lock. @returns how many were new */
  async #insert(current: Live, entries: EntriesById, signal: AbortSignal): Promise<number> {
    const { store, maxEntries } = this.#parts
    const added = new Map([...entries].filter(([id]) => !current.known.has(id)))
    const [first] = added.values()
    if (first === undefined) return 0
    if (current.known.size + added.size > maxEntries) {
      throw new RouterError('invalid_request', `a corpus has at most ${maxEntries} entries`, {
        code: 'router_corpus_full',
      })
    }
    const dimension = current.dimension ?? first.vector.length
    if (first.vector.length !== dimension) {
      throw entryError(
        'entries',
        `: the embedding model gives vectors of another length than the ${dimension} of the corpus`,
      )
    }
    signal.throwIfAborted()
    await store.append(this.#options.name, [...added.values()].map(formatLine), { signal })
    // The entries are stored: the index gets them also where the caller leaves now.
    try {
      await indexEntries(current.index, added, { signal: this.#closing.signal })
    } catch (cause) {
      this.#live = undefined
      throw syncError(cause)
    }
    for (const [id, known] of [...added].map(toKnown)) current.known.set(id, known)
    current.dimension = dimension
    this.#revision++
    return added.size
  }
}

/** The problems of a file, and of entries that are not among the fitting ones. */
function nameUnfit({ entries, lines, problems }: LoadedCorpus, fitting: EntriesById): LineProblem[] {
  const unfit = [...entries.keys()].filter((id) => !fitting.has(id)).slice(0, MAX_PROBLEMS)
  const named = unfit.map((id) => ({
    line: lines.get(id) ?? 0,
    problem: 'has a vector that cannot be compared with the others',
  }))
  return [...problems, ...named].sort((one, other) => one.line - other.line).slice(0, MAX_PROBLEMS)
}

function toKnown([id, { labels, embeddingModel }]: readonly [string, StoredEntry]): [string, KnownEntry] {
  return [id, { labels, embeddingModel }]
}

function describe(entries: readonly KnownEntry[]): Pick<CorpusStats, 'total' | 'labelCounts' | 'embeddingModels'> {
  const embeddingModels = [...new Set(entries.map(({ embeddingModel }) => embeddingModel))].sort()
  return { total: entries.length, labelCounts: countLabels(entries), embeddingModels }
}

function countLabels(entries: Iterable<KnownEntry>): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { labels } of entries) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function syncError(cause: unknown): RouterError {
  return new RouterError('internal', 'the corpus could not be brought into the index', {
    code: 'router_corpus_sync',
    cause,
  })
}
