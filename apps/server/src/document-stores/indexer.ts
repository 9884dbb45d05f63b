import { SvcError, toSvcError } from '@svc/errors'
import { and, eq } from 'drizzle-orm'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Clock, Logger } from '../ports.ts'
import type { DocumentFault, DocumentFile } from './document-store.ts'
import { FileLeft, type IndexFileParts, indexFile } from './index-file.ts'
import { removeChunksInParts } from './removal.ts'
import { createWaitingFiles } from './waiting-files.ts'

/** Indexes the files of stores in the background. The database is its queue. */
export interface Indexer {
  /** Looks for files that wait. */
  wake(): void
  /** Ends the work on a file of a store, or on all of its files. */
  stop(storeId: string, fileId?: string): void
  /** Ends all work. Files under way are indexed anew by the next start. */
  close(): Promise<void>
}

/** Options of {@link createIndexer}. */
export interface IndexerOptions extends IndexFileParts {
  /** Id of this server, which indexes the files whose bytes it has. */
  readonly server: string
  readonly logger: Logger
  /** Files at a time. @default 2 */
  readonly concurrency?: number | undefined
}

const TRIES = 4
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** Kinds of failures that may pass. */
const PASSING = new Set(['unavailable', 'rate_limited', 'timeout', 'upstream_failed'])

interface Running {
  readonly file: DocumentFile
  readonly ending: AbortController
  readonly done: Promise<void>
}

/** Creates an indexer at rest. */
export function createIndexer(options: IndexerOptions): Indexer {
  const { queries, server, clock, logger, concurrency = 2 } = options
  const running = new Set<Running>()
  const waiting = createWaitingFiles(queries, server)
  const closing = new AbortController()
  const patience = createPatience({ clock, signal: closing.signal, onRested: () => wake() })
  let looking: Promise<void> | undefined
  let isLooking = false
  let hasNews = false

  async function look(): Promise<void> {
    try {
      do {
        hasNews = false
        while (running.size < concurrency && !closing.signal.aborted) {
          const file = await waiting.next(
            patience.resting,
            [...running].map((entry) => entry.file),
          )
          if (file === undefined) {
            if (running.size === 0) patience.forget()
            break
          }
          start(file)
        }
      } while (hasNews)
    } finally {
      // In the same turn as the last look at the news, so that none gets lost.
      isLooking = false
    }
  }

  function wake(): void {
    hasNews = true
    if (isLooking || closing.signal.aborted) return
    isLooking = true
    looking = look().catch((err: unknown) => {
      logger.warn({ err }, 'files that wait to be indexed could not be read')
      clock.sleep(LONGEST_PAUSE_MS, { signal: closing.signal }).then(wake, () => undefined)
    })
  }

  function start(file: DocumentFile): void {
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, closing.signal])
    const done = work(file, signal).finally(() => {
      running.delete(entry)
      wake()
    })
    const entry: Running = { file, ending, done }
    running.add(entry)
  }

  /** Never rejects. */
  async function work(file: DocumentFile, signal: AbortSignal): Promise<void> {
    try {
      await indexFile(file, options, signal)
    } catch (error) {
      if (signal.aborted || error instanceof FileLeft) return
      if (patience.mayTryAgain(file, error)) return
      logger.info({ err: error, store: file.storeId, file: file.id }, 'a file could not be indexed')
      await markFailed(queries, file, toSvcError(error)).catch(async (err: unknown) => {
        logger.warn({ err }, 'the state of a file could not be written')
        await clock.sleep(FIRST_PAUSE_MS, { signal: closing.signal }).catch(() => undefined)
      })
    }
  }

  return {
    wake,
    stop(storeId, fileId) {
      for (const { file, ending } of running) {
        if (file.storeId === storeId && (fileId === undefined || file.id === fileId)) ending.abort(new FileLeft())
      }
    },
    async close() {
      closing.abort(new SvcError('unavailable', 'the server stops', { code: 'stopping' }))
      await looking
      await Promise.all([...running].map(({ done }) => done))
    },
  }
}

/** Lets files be tried again after failures that may pass. */
interface Patience {
  /** Owners whose files wait after such a failure. The files of others do not wait for them. */
  readonly resting: ReadonlySet<string>
  /** Whether a file is tried again, after a while in which all files of its owner wait. */
  mayTryAgain(file: Pick<DocumentFile, 'run' | 'owner'>, error: unknown): boolean
  /** Called when no file is left but those of owners who wait. */
  forget(): void
}

function createPatience({
  clock,
  signal,
  onRested,
}: {
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
  readonly onRested: () => void
}): Patience {
  const resting = new Set<string>()
  /** Failures by the run of the file. */
  const failures = new Map<string, number>()
  return {
    resting,
    mayTryAgain({ run, owner }, error) {
      const failed = (failures.get(run) ?? 0) + 1
      if (failed === TRIES || !SvcError.is(error) || !PASSING.has(error.kind)) {
        failures.delete(run)
        return false
      }
      failures.set(run, failed)
      resting.add(owner)
      const pause = Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (failed - 1))
      const goOn = (): void => {
        resting.delete(owner)
        onRested()
      }
      clock.sleep(pause, { signal }).then(goOn, () => undefined)
      return true
    },
    forget() {
      if (resting.size === 0) failures.clear()
    },
  }
}

async function markFailed(queries: DatabaseQueries, file: DocumentFile, error: SvcError): Promise<void> {
  const { storeId, id, run } = file
  const failed = await queries.change((db, { documentFiles: files }) =>
    db
      .update(files)
      .set({ status: 'failed', errorCode: toFault(error), errorMessage: toMessage(error), usageBytes: 0 })
      .where(and(eq(files.storeId, storeId), eq(files.id, id), eq(files.run, run), eq(files.status, 'in_progress'))),
  )
  if (failed === 0) return
  await removeChunksInParts(queries, file)
  await queries.change((db, { documentChunks: chunks }) =>
    db.delete(chunks).where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run))),
  )
}

function toFault({ kind }: SvcError): DocumentFault {
  if (kind === 'unsupported_media') return 'unsupported_file'
  return kind === 'invalid_request' || kind === 'too_large' || kind === 'not_found' ? 'invalid_file' : 'server_error'
}

/** Failures of the server itself are named only in the log. */
function toMessage({ kind, message }: SvcError): string {
  return kind === 'internal' ? 'the server failed to index the file' : message
}
