import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import { toReason } from '../files/file-error.ts'
import type { FileLock } from '../files/file-lock.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import type { Clock } from '../ports.ts'

/** An engine that a server stands on. */
export type Engine = 'database' | 'nats' | 'storage'

/** A reason why a server takes no requests. */
export interface Unready {
  readonly status: 'starting' | 'stopping' | 'degraded'
  readonly reason: string
  /** Engines that are away. */
  readonly missing?: readonly Engine[]
}

/** Whether the server takes requests. */
export interface Readiness {
  /** Gives the reason why the server is not ready, else undefined. Never rejects. */
  look(): Promise<Unready | undefined>
  /** Gives what slows a server that takes requests, else undefined. */
  slowness(): Slowness | undefined
}

/** A server takes requests without an engine: changes by other servers come later, or large files are missing. */
export interface Slowness {
  readonly status: 'degraded'
  readonly reason: string
  readonly missing: readonly Engine[]
}

type Fault = Pick<Unready, 'reason' | 'missing'>

/** Time for which a result is reused. */
const SEEN_MS = 1000
/** Time limit for the answer of the database. */
const DATABASE_MS = 2000
/** Written to test the disk: one block. */
const BLOCK = new Uint8Array(4096)

/** Parts that {@link createReadiness} examines. */
export interface ReadinessParts {
  /** Gives a temporary reason apart from disk and database: the server starts or stops. */
  readonly passing: () => Unready | undefined
  readonly lock: Pick<FileLock, 'lossReason'>
  readonly dataPath: string
  readonly database: Pick<Database, 'queries'>
  readonly clock: Clock
  /** Whether the message bus is connected. @default no bus is in use */
  readonly isBusConnected?: (() => boolean) | undefined
  /** Why the object storage is missing; undefined while it is there. @default none is in use */
  readonly storageTrouble?: (() => string | undefined) | undefined
}

/** Checks whether the server can work, from its data folder, its disk and its database. */
export function createReadiness({
  passing,
  lock,
  dataPath,
  database,
  clock,
  isBusConnected = () => true,
  storageTrouble = () => undefined,
}: ReadinessParts): Readiness {
  let seen: { readonly at: number; readonly found: Promise<Fault | undefined> } | undefined

  async function examine(): Promise<Fault | undefined> {
    const lost = lock.lossReason()
    if (lost !== undefined) return { reason: `the data folder was taken away: ${lost}` }
    const full = await checkDisk(dataPath)
    if (full !== undefined) return { reason: full }
    const away = await checkDatabase()
    return away === undefined ? undefined : { reason: away, missing: ['database', ...slowing().missing] }
  }

  /** What is away of the engines without which requests go on. */
  function slowing(): { readonly reasons: readonly string[]; readonly missing: readonly Engine[] } {
    const trouble = storageTrouble()
    const isCut = !isBusConnected()
    return {
      reasons: [...(isCut ? ['the message bus is not connected'] : []), ...(trouble === undefined ? [] : [trouble])],
      missing: [...(isCut ? (['nats'] as const) : []), ...(trouble === undefined ? [] : (['storage'] as const))],
    }
  }

  async function checkDatabase(): Promise<string | undefined> {
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
      const fault = await seen.found
      return fault === undefined ? undefined : { status: 'degraded', ...fault }
    },
    slowness() {
      const { reasons, missing } = slowing()
      return missing.length === 0 ? undefined : { status: 'degraded', reason: reasons.join('; '), missing }
    },
  }
}

/** Writes a block into a folder. @returns the reason of a failure; undefined on success */
async function checkDisk(folder: string): Promise<string | undefined> {
  const path = createTemporaryPath(join(folder, 'readiness'))
  try {
    await writeFile(path, BLOCK, { mode: 0o600, flag: 'wx' })
    return undefined
  } catch (error) {
    return `the data folder takes nothing: ${toReason(error)}`
  } finally {
    await unlink(path).catch(() => undefined)
  }
}
