import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './db/database.ts'
import { reasonOf } from './files/file-error.ts'
import type { FileLock } from './files/file-lock.ts'
import { temporaryPath } from './files/temporary-files.ts'
import type { Clock } from './ports.ts'

/** A reason why a server takes no requests. */
export interface Unready {
  readonly status: 'starting' | 'stopping' | 'degraded'
  readonly reason: string
}

/** Whether the server takes requests. */
export interface Readiness {
  /** Undefined when the server is ready, else the reason. Never rejects. */
  look(): Promise<Unready | undefined>
}

/** Age at which an examination is repeated; calls before that get its result. */
const SEEN_MS = 1000
/** Time that the database has to answer. */
const DATABASE_MS = 2000
/** Written to see whether the disk takes anything: one block. */
const BLOCK = new Uint8Array(4096)

/** What {@link createReadiness} examines. */
export interface ReadinessParts {
  /** A reason that does not lie in disk and database: the server starts or stops. */
  readonly passing: () => Unready | undefined
  readonly lock: Pick<FileLock, 'lossReason'>
  readonly dataPath: string
  readonly database: Pick<Database, 'queries'>
  readonly clock: Clock
}

/** Finds out whether the server can work, from its data folder, its disk and its database. */
export function createReadiness({ passing, lock, dataPath, database, clock }: ReadinessParts): Readiness {
  let seen: { readonly at: number; readonly found: Promise<string | undefined> } | undefined

  async function examine(): Promise<string | undefined> {
    const lost = lock.lossReason()
    if (lost !== undefined) return `the data folder was taken away: ${lost}`
    return (await diskProblem(dataPath)) ?? (await databaseProblem())
  }

  async function databaseProblem(): Promise<string | undefined> {
    const given = new AbortController()
    const late = clock.sleep(DATABASE_MS, { signal: given.signal }).then(
      () => `the database does not answer within ${DATABASE_MS} ms`,
      () => undefined,
    )
    const answered = database.queries.holdsRows('instance').then(
      () => undefined,
      (error: unknown) => `the database is away: ${error instanceof Error ? error.message : String(error)}`,
    )
    try {
      return await Promise.race([answered, late])
    } finally {
      given.abort()
    }
  }

  return {
    async look(): Promise<Unready | undefined> {
      const unready = passing()
      if (unready !== undefined) return unready
      const now = clock.monotonic()
      if (seen === undefined || now - seen.at > SEEN_MS) seen = { at: now, found: examine() }
      const reason = await seen.found
      return reason === undefined ? undefined : { status: 'degraded', reason }
    },
  }
}

/** The reason why nothing can be written into a folder; undefined where a block was written. */
async function diskProblem(folder: string): Promise<string | undefined> {
  const path = temporaryPath(join(folder, 'readiness'))
  try {
    await writeFile(path, BLOCK, { mode: 0o600, flag: 'wx' })
    return undefined
  } catch (error) {
    return `the data folder takes nothing: ${reasonOf(error)}`
  } finally {
    await unlink(path).catch(() => undefined)
  }
}
