import { join } from 'node:path'
import type { CorpusStore } from '@svc/router/corpus'
import { createCorpusFiles } from '@svc/router/node'
import type { Bus } from '../bus/bus.ts'
import { createDatabaseCorpora } from '../cluster/shared-files/database-corpora.ts'
import { followFolder } from '../cluster/shared-files/follow-folder.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import type { Clock, Logger } from '../ports.ts'
import { CORPUS_FOLDER } from '../routing/corpus-folder.ts'

/** Options of {@link openSharedCorpora}. */
export interface SharedCorporaOptions {
  readonly config: Pick<ServerConfig, 'dataPath'>
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

/** The labelled texts of routers that all front ends share. */
export interface SharedCorpora {
  readonly store: CorpusStore
  /** Follows the changes of the other front ends. @returns a function that ends it */
  follow(refresh: (name: string, options: { readonly signal: AbortSignal }) => Promise<void>): () => Promise<void>
}

/** Opens the corpora of the cluster. Files of this front end give their texts to corpora that are not there yet. */
export function openSharedCorpora({ config, database, bus, clock, log }: SharedCorporaOptions): SharedCorpora {
  const { store, refreshStale } = createDatabaseCorpora({
    database,
    files: createCorpusFiles({ folder: join(config.dataPath, CORPUS_FOLDER) }),
    onChanged: () => bus.publish('files.changed', { kind: 'corpus' }),
    clock,
  })
  return {
    store,
    follow(refresh) {
      const closing = new AbortController()
      const run = async (): Promise<boolean> => {
        await refreshStale((name) => refresh(name, { signal: closing.signal })).catch((error: unknown) => {
          if (!closing.signal.aborted)
            log.warn({ err: error }, 'texts of routers that another server changed cannot be read')
        })
        return false
      }
      const follower = followFolder({ kind: 'corpus', sync: { run }, onPulled: async () => undefined, bus, clock })
      return async () => {
        closing.abort()
        await follower.close()
      }
    },
  }
}
