import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asc, inArray, lte, sum } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'
import type { SharedBytes } from '../stored-files/shared-bytes.ts'

/** Parts of {@link createFileTrimming}. */
export interface FileTrimmingParts {
  /** Made with the first file. */
  readonly folder: string
  readonly database: Pick<Database, 'queries'>
  /** Time for which files are kept, milliseconds; 0 = no limit in time. */
  readonly keepMs: number
  /** All files together, bytes; 0 = no limit. */
  readonly maxTotalBytes: number
  /** Gives the bytes to other front ends, and those of others to this one. @default no others */
  readonly bytes?: SharedBytes | undefined
  readonly clock: Clock
}

/** A file in the folder of its kind. */
export interface StoredName {
  readonly kind: string
  readonly name: string
}

/** Removes generated files. */
export interface FileTrimming {
  /** Removes files before their rows: a file without a row would be found as an orphan only. */
  remove(files: readonly StoredName[]): Promise<void>
  /** Removes files that are too old, and the oldest ones above the limit. Other files in the folders stay. */
  trim(): Promise<void>
  /** Counts stored bytes. Trims after a sixteenth of the limit has been added. */
  count(bytes: number): Promise<void>
}

const BATCH = 500

/** The name of the bytes of a file among all front ends. */
export function toBytesName({ kind, name }: StoredName): string {
  return `generated/${kind}/${name}`
}

/** Creates the trimming of a store of generated files. */
export function createFileTrimming({
  folder,
  database: { queries },
  keepMs,
  maxTotalBytes,
  bytes: shared,
  clock,
}: FileTrimmingParts): FileTrimming {
  /** Bytes stored since the last look at the total. */
  let grown = maxTotalBytes
  let running: Promise<void> | undefined
  let waiting: Promise<void> | undefined

  async function remove(rows: readonly StoredName[]): Promise<void> {
    for (const { kind, name } of rows) await rm(join(folder, kind, name), { force: true })
    const names = rows.map(({ name }) => name)
    await shared?.remove(rows.map(toBytesName))
    if (names.length > 0) {
      await queries.change((db, { generatedFiles: files }) => db.delete(files).where(inArray(files.name, names)))
    }
  }

  async function removeOld(): Promise<void> {
    if (keepMs === 0) return
    const since = clock.now() - keepMs
    for (;;) {
      const old = await queries.rows((db, { generatedFiles: files }) =>
        db.select({ name: files.name, kind: files.kind }).from(files).where(lte(files.createdAt, since)).limit(BATCH),
      )
      await remove(old)
      if (old.length < BATCH) return
    }
  }

  async function removeSurplus(): Promise<void> {
    if (maxTotalBytes === 0) return
    const [whole] = await queries.rows((db, { generatedFiles: files }) =>
      db.select({ bytes: sum(files.sizeBytes).mapWith(Number) }).from(files),
    )
    let total = whole?.bytes ?? 0
    while (total > maxTotalBytes) {
      const oldest = await queries.rows((db, { generatedFiles: files }) =>
        db
          .select({ name: files.name, kind: files.kind, sizeBytes: files.sizeBytes })
          .from(files)
          .orderBy(asc(files.createdAt), asc(files.name))
          .limit(BATCH),
      )
      const surplus: (typeof oldest)[number][] = []
      for (const file of oldest) {
        if (total <= maxTotalBytes) break
        surplus.push(file)
        total -= file.sizeBytes
      }
      if (surplus.length === 0) return
      await remove(surplus)
    }
  }

  async function run(): Promise<void> {
    grown = 0
    await removeOld()
    await removeSurplus()
  }

  function start(): Promise<void> {
    waiting = undefined
    running = run().finally(() => {
      running = undefined
    })
    return running
  }

  /** Runs once at a time. A run that has begun may not see the latest files, so that another one follows it. */
  function trim(): Promise<void> {
    if (waiting !== undefined) return waiting
    if (running === undefined) return start()
    waiting = running.catch(() => undefined).then(start)
    return waiting
  }

  return {
    remove,
    trim,
    async count(bytes) {
      grown += bytes
      if (maxTotalBytes > 0 && grown >= maxTotalBytes / 16) await trim()
    },
  }
}
