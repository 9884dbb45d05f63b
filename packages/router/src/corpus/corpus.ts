import type { NeighborSource } from '../classifiers/knn.ts'
import type { CallOptions, Clock, Embedder, Logger } from '../ports.ts'
import type { VectorIndex } from '../vector/ports.ts'
import type { CorpusEntry } from './entry.ts'
import type { StoredEntry } from './line.ts'
import type { LineProblem } from './load-entries.ts'
import type { CorpusStore } from './ports.ts'

/** The name of a corpus and the model that embeds its texts. */
export interface CorpusOptions {
  /** Names the lines in the store. */
  readonly name: string
  readonly embedder: Embedder
  readonly embeddingModel: string
  /** Result of `createFingerprint`. */
  readonly fingerprint: string
}

/** The parts that all corpora of a process share. */
export interface CorpusParts {
  readonly store: CorpusStore
  readonly createIndex: () => VectorIndex
  readonly maxEntries: number
  readonly clock: Clock
  readonly logger?: Logger | undefined
}

/** The result of a request that adds entries. */
export interface AddedEntries {
  readonly added: number
  /** Texts that were there before, or earlier in the request. */
  readonly skipped: number
  readonly total: number
  readonly labelCounts: Readonly<Record<string, number>>
}

/** The content of a corpus, without its texts. */
export interface CorpusStats {
  readonly total: number
  readonly labelCounts: Readonly<Record<string, number>>
  /** The models that made the vectors, each once. */
  readonly embeddingModels: readonly string[]
  readonly problems: readonly LineProblem[]
  /** Number of lines that are not usable; `problems` names the first of them. */
  readonly problemCount: number
}

/** Labelled texts: lines in a store, and an index of their vectors. */
export interface Corpus extends NeighborSource {
  readonly fingerprint: string
  /** Whether entries are in the live index. */
  readonly isLive: boolean
  /** Brings the lines into the index, once. Entries of another fingerprint are embedded anew and written back. */
  sync(options: CallOptions): Promise<void>
  /**
   * Checks all entries, then embeds, stores and indexes the new ones: all of them or none.
   *
   * @param options.labels the labels that entries may have
   * @throws `router_corpus_entry` for an entry that is refused, `router_corpus_full`
   */
  add(
    entries: readonly CorpusEntry[],
    options: CallOptions & { readonly labels: ReadonlySet<string> },
  ): Promise<AddedEntries>
  /** Embeds nothing, also where the lines are not in the index yet. */
  readStats(options: CallOptions): Promise<CorpusStats>
  /** All entries as they are stored, their texts included. */
  readEntries(options: CallOptions): Promise<readonly StoredEntry[]>
  /** Removes all entries from store and index. @returns how many there were */
  clear(options: CallOptions): Promise<number>
  /**
   * Reads the lines again after another process has changed them. The former index serves meanwhile, and goes on to serve
   * where this fails. Does nothing before the first sync.
   */
  refresh(options: CallOptions): Promise<void>
  /** Ends a running sync. */
  close(): Promise<void>
}
