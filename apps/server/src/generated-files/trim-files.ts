import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { asc, inArray, lte, sum } from 'drizzle-orm'
import type { GeneratedFilesOptions } from './generated-files.ts'
import { GENERATED_KINDS } from './kinds.ts'

/** A file in the folder of its kind. */
export interface StoredName {
  readonly kind: string
  readonly name: string
}

/** Removes generated files. */
export interface FileTrimming {
  /** Removes files before their rows: a file without a row would be found as an orphan only. */
  remove(files: readonly StoredName[]): Promise<void>
  /** Removes files that are too old, the oldest ones above the limit, and files that no row knows. */
  trim(): Promise<void>
  /** Counts stored bytes. Trims after a sixteenth of the limit has been added. */
  count(bytes: number): Promise<void>
}

const BATCH = 500
/** The row of a file is written right after the file. */
const ORPHAN_AFTER_MS = 3_600_000

/** Creates the trimming of a store of generated files. */
export function createFileTrimming({
  folder,
  database: { queries },
  keepMs,
  maxTotalBytes,
  clock,
}: GeneratedFilesOptions): FileTrimming {
  /** Bytes stored since the last look at the total. */
  let grown = maxTotalBytes
  let running: Promise<void> | undefined

  async function remove(rows: readonly StoredName[]): Promise<void> {
    for (const { kind, name } of rows) await rm(join(folder, kind, name), { force: true })
    const names = rows.map(({ name }) => name)
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

  /** Removes files of a server that was killed between the writing of a file and of its row. */
  async function removeOrphans(): Promise<void> {
    for (const kind of Object.keys(GENERATED_KINDS)) {
      const names = await readdir(join(folder, kind)).catch(() => [])
      for (let at = 0; at < names.length; at += BATCH) {
        const batch = names.slice(at, at + BATCH)
        const known = await queries.rows((db, { generatedFiles: files }) =>
          db.select({ name: files.name }).from(files).where(inArray(files.name, batch)),
        )
        const kept = new Set(known.map(({ name }) => name))
        for (const name of batch) if (!kept.has(name)) await removeOrphan(join(folder, kind, name))
      }
    }
  }

  async function removeOrphan(path: string): Promise<void> {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || clock.now() - found.mtimeMs < ORPHAN_AFTER_MS) return
    await rm(path, { force: true, recursive: true })
  }

  async function run(): Promise<void> {
    grown = 0
    await removeOld()
    await removeSurplus()
    await removeOrphans()
  }

  /** Runs once at a time. */
  function trim(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
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
