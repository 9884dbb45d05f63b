import type { CollectionParts, Collections } from '../../agents/collections/collections.ts'
import type { CollectionSources, SourceParts } from '../../agents/collections/sources.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import type { AccountModule } from '../open-accounts.ts'

/** The collections of a server. */
export interface OpenCollections {
  readonly collections: Collections
  readonly sources: CollectionSources
}

/** Collections of documents. The first use loads their code, and begins to fetch their sources again. */
export interface LazyCollections {
  open(): Promise<OpenCollections>
  /** Opens them if there may be any. */
  resume(): Promise<void>
  /** Fetches no more sources. */
  close(): void
}

/** Parts of {@link createLazyCollections}. */
export type LazyCollectionsParts = CollectionParts &
  Omit<SourceParts, 'collections' | 'findCaller'> & {
    readonly accounts: Pick<AccountModule, 'isInUse' | 'hasSharedKeys' | 'stores'>
  }

/** Makes the collections of a server. Nothing of them is loaded yet. */
export function createLazyCollections({ accounts, ...parts }: LazyCollectionsParts): LazyCollections {
  const { database, logger } = parts
  const closing = new AbortController()
  const { open } = createLazy(async () => {
    const { createCollections } = await import('../../agents/collections/collections.ts')
    const { createSources } = await import('../../agents/collections/sources.ts')
    const { createCallerFinder } = await import('../../document-stores/find-caller.ts')
    const collections = createCollections(parts)
    const findCaller = createCallerFinder({ ...accounts, hasAccounts: accounts.isInUse, clock: parts.clock, logger })
    const sources = createSources({ ...parts, collections, findCaller })
    // It ends with the signal alone.
    sources.follow(closing.signal).catch(() => undefined)
    return { collections, sources }
  })
  return {
    open,
    async resume() {
      if (await database.queries.holdsRows('document_stores')) await open()
    },
    close: () => closing.abort(new Error('the server stops')),
  }
}
