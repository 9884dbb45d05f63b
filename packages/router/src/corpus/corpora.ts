import { checkArgument } from '@svc/errors'
import { systemClock } from '../clock.ts'
import { RouterError } from '../errors.ts'
import type { CallOptions, Clock, Logger } from '../ports.ts'
import type { VectorIndex } from '../vector/ports.ts'
import { createVectorIndex } from '../vector/vector-index.ts'
import type { Corpus, CorpusOptions } from './corpus.ts'
import { createLock, type Lock } from './lock.ts'
import type { CorpusStore } from './ports.ts'
import { createCorpus } from './stored-corpus.ts'

/** The parts that corpora need. */
export interface CorporaOptions {
  readonly store: CorpusStore
  /** Makes the index of one corpus. @default an index in memory */
  readonly createIndex?: (() => VectorIndex) | undefined
  /** Most entries of one corpus. @default 100,000 */
  readonly maxEntries?: number | undefined
  readonly clock?: Clock | undefined
  readonly logger?: Logger | undefined
}

/** The corpora of a process, by name. They outlive the routers that use them. */
export interface Corpora {
  /**
   * The corpus of a name: the present one where its fingerprint is the same.
   *
   * @throws `router_corpus_changed` where entries of another fingerprint are live: only a new process embeds them anew
   */
  open(options: CorpusOptions): Corpus
  /**
   * Reads the lines of a corpus again after another process has changed them; {@link Corpus.refresh}. Does nothing for a
   * corpus that is not open.
   */
  refresh(name: string, options: CallOptions): Promise<void>
  close(): Promise<void>
}

const DEFAULT_MAX_ENTRIES = 100_000
/** Corpora of one process. */
const MAX_CORPORA = 1_000

/** The corpora over a store. A process makes this once. */
export function createCorpora(options: CorporaOptions): Corpora {
  const { store, maxEntries = DEFAULT_MAX_ENTRIES, clock = systemClock, logger } = options ?? {}
  checkArgument(typeof store?.append === 'function', 'createCorpora: store', 'a CorpusStore', store)
  checkArgument(
    Number.isSafeInteger(maxEntries) && maxEntries > 0,
    'createCorpora: maxEntries',
    'a positive count',
    maxEntries,
  )
  const createIndex = options.createIndex ?? (() => createVectorIndex({ maxEntries }))
  const opened = new Map<string, { readonly corpus: Corpus; readonly lock: Lock }>()
  const closing = new Set<Promise<void>>()
  const end = (corpus: Corpus) => {
    const ended = corpus.close().finally(() => closing.delete(ended))
    closing.add(ended)
  }
  return {
    open(wanted) {
      const present = opened.get(wanted.name)
      if (present?.corpus.fingerprint === wanted.fingerprint) return present.corpus
      if (present?.corpus.isLive === true) {
        throw new RouterError('internal', 'the embedding model of the corpus has changed: restart to embed it anew', {
          code: 'router_corpus_changed',
        })
      }
      if (present === undefined && opened.size >= MAX_CORPORA) {
        throw new RouterError('internal', `there are at most ${MAX_CORPORA} corpora`, { code: 'router_corpus_full' })
      }
      // One lock a name: the former corpus ends its work on the lines before this one reads them.
      const lock = present?.lock ?? createLock()
      if (present !== undefined) end(present.corpus)
      const corpus = createCorpus(wanted, { store, createIndex, maxEntries, clock, logger, lock })
      opened.set(wanted.name, { corpus, lock })
      return corpus
    },
    async refresh(name, options) {
      await opened.get(name)?.corpus.refresh(options)
    },
    async close() {
      for (const { corpus } of opened.values()) end(corpus)
      await Promise.all(closing)
    },
  }
}
