import { SvcError } from '@svc/errors'
import type { CorpusStore } from '@svc/router/corpus'
import type { Database } from '../../db/database.ts'
import type { Queries } from '../../db/queries.ts'
import type { Clock } from '../../ports.ts'
import { createCorpusLines } from './corpus-lines.ts'
import { createSharedDocuments, insideOf, type SharedDocument } from './shared-documents.ts'

/** The labelled texts of routers in the database. */
export interface DatabaseCorpora {
  readonly store: CorpusStore
  /**
   * Calls back with the name of each corpus that others have changed since this process read it. After a failure it is
   * named again the next time.
   *
   * @throws {SvcError} of the database; the error of the callback
   */
  refreshStale(refresh: (name: string) => Promise<void>): Promise<void>
}

/** Options of {@link createDatabaseCorpora}. */
export interface DatabaseCorporaOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** The corpora of this front end from before; each gives its lines once, to a corpus that the database does not have. */
  readonly files: Pick<CorpusStore, 'read'>
  /** Called after each change. */
  readonly onChanged: () => void
  readonly clock: Pick<Clock, 'now'>
}

/** How often a change is tried while other front ends change the same corpus. */
const ATTEMPTS = 20

/**
 * Keeps corpora in a table. The document of a corpus names the generation of its lines, and its version grows with every
 * change: a replaced corpus is a new generation, which counts from one moment on.
 */
export function createDatabaseCorpora({ database, files, onChanged, clock }: DatabaseCorporaOptions): DatabaseCorpora {
  const documents = createSharedDocuments(database, 'corpus')
  const lines = createCorpusLines(database, clock)
  /** Versions that this process knows. */
  const seen = new Map<string, number>()

  const tryChange = createChange(database)

  async function change(name: string, asked: Change): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const version = await tryChange(name, asked)
      if (version === undefined) continue
      if (seen.get(name) === version - 1) seen.set(name, version)
      onChanged()
      return
    }
    throw changedElsewhere()
  }

  /** Finds the document of a corpus; gives it the lines of this front end when there is none. */
  async function findOrSeed(name: string, signal: AbortSignal): Promise<SharedDocument | undefined> {
    const found = await documents.read(name)
    if (found !== undefined) return found
    const generation = lines.begin()
    const count = await lines.fill(name, generation, readTexts(files, name, signal))
    if (count === 0) return undefined
    const version = await documents.write(name, generation, { over: 0 })
    if (version === undefined) await lines.remove(database.queries, { name, generation })
    return documents.read(name)
  }

  const store: CorpusStore = {
    async *read(name, { signal }) {
      const found = await findOrSeed(name, signal)
      // A later read may not reach the index that the texts are found with.
      if (!seen.has(name)) seen.set(name, found?.version ?? 0)
      const generation = toGeneration(found)
      if (generation === undefined) return
      for await (const { line, text } of lines.read(name, generation)) {
        signal.throwIfAborted()
        yield { number: line, text, isTorn: false }
      }
      if (toGeneration(await documents.read(name)) !== generation) throw changedElsewhere()
    },
    async append(name, texts, { signal }) {
      signal.throwIfAborted()
      await findOrSeed(name, signal)
      const fresh = lines.begin()
      await change(name, {
        next: (present) => present ?? fresh,
        work: (queries, present) => lines.append(queries, { name, generation: present ?? fresh }, texts),
      })
    },
    async replace(name, texts, { signal }) {
      const old = toGeneration(await findOrSeed(name, signal))
      const last = old === undefined ? 0 : await lines.findLast(name, old)
      const generation = lines.begin()
      try {
        const count = await lines.fill(name, generation, texts)
        await change(name, {
          next(present) {
            if (present !== old) throw changedElsewhere()
            return generation
          },
          async work(queries) {
            if (old === undefined) return
            // Lines that others have added meanwhile stay behind the new ones.
            await lines.move(queries, { name, from: old, to: generation, after: last, by: count - last })
            await lines.remove(queries, { name, generation: old })
          },
        })
      } catch (error) {
        await lines.remove(database.queries, { name, generation })
        throw error
      }
      await lines.removeUnfinished(name, generation)
    },
    async remove(name, { signal }) {
      signal.throwIfAborted()
      await change(name, {
        next: () => undefined,
        async work(queries, present) {
          if (present !== undefined) await lines.remove(queries, { name, generation: present })
        },
      })
    },
  }
  return {
    store,
    async refreshStale(refresh) {
      const versions = new Map((await documents.list()).map(({ name, version }) => [name, version]))
      for (const [name, version] of seen) {
        const present = versions.get(name) ?? 0
        if (present === version) continue
        await refresh(name)
        seen.set(name, present)
      }
    },
  }
}

/** A change of a corpus. */
interface Change {
  /** Gives the generation that counts then, by the present one; undefined removes the corpus. */
  readonly next: (present: string | undefined) => string | undefined
  /** Changes the lines. No other front end changes the corpus meanwhile. */
  readonly work: (queries: Queries, present: string | undefined) => Promise<void>
}

/** Makes changes of corpora in a transaction. Each gives the new version, or undefined when another front end was faster. */
function createChange(database: DatabaseCorporaOptions['database']) {
  return async (name: string, { next, work }: Change): Promise<number | undefined> => {
    try {
      return await database.queries.transaction(async (inside) => {
        const shared = createSharedDocuments(insideOf(inside, database), 'corpus')
        const before = await shared.read(name)
        const present = toGeneration(before)
        const over = before?.version ?? 0
        const generation = next(present)
        // The written row is locked until the end of the transaction, so it comes before the lines.
        const version = await (generation === undefined
          ? shared.remove(name, { over })
          : shared.write(name, generation, { over }))
        if (version === undefined) throw new Overtaken()
        await work(inside, present)
        return version
      })
    } catch (error) {
      if (error instanceof Overtaken) return undefined
      throw error
    }
  }
}

class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

function toGeneration(document: SharedDocument | undefined): string | undefined {
  return document === undefined || document.isDeleted ? undefined : document.content
}

function changedElsewhere(): SvcError {
  return new SvcError('unavailable', 'another server has changed the corpus', {
    code: 'router_corpus_elsewhere',
    retryAfterMs: 1000,
  })
}

async function* readTexts(files: Pick<CorpusStore, 'read'>, name: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { text, isTorn } of files.read(name, { signal })) if (text !== undefined && !isTorn) yield text
}
