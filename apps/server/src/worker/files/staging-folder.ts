import { randomUUID } from 'node:crypto'
import { open, readdir, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { toFileError } from '../../files/file-error.ts'
import type { Clock, Logger } from '../../ports.ts'
import { stagingFull } from './refusals.ts'

/** Limits of the staging folder. */
export interface StagingLimits {
  /** Age at which a file is removed, milliseconds since it was written last. */
  readonly maxAgeMs: number
  /** Age from which a file may be removed to make room, milliseconds. */
  readonly leastAgeMs: number
  readonly maxFiles: number
  readonly maxBytes: number
  /** Time between two sweeps, milliseconds. */
  readonly sweepMs: number
  /** Sweeps of the staging folder for one of the others. */
  readonly abandonedEvery: number
}

/** Age of an upload that nobody goes on with, milliseconds. */
const ABANDONED_MS = 24 * 3_600_000

const LIMITS: StagingLimits = {
  maxAgeMs: 6 * 3_600_000,
  leastAgeMs: 15 * 60_000,
  maxFiles: 20_000,
  maxBytes: 100 * 1024 ** 3,
  sweepMs: 60_000,
  abandonedEvery: 60,
}

/** The folder for files of requests. */
export interface StagingFolder {
  /** Makes an empty file. @throws {SvcError} `insufficient_storage` */
  createFile(): Promise<string>
  /** Counts a file that is about to be written. @throws {SvcError} `insufficient_storage` when there is no room */
  claim(): void
  /** Counts a file that was removed. */
  release(): void
  close(): Promise<void>
}

/**
 * Looks after a staging folder until it is closed: old files go, and there are never too many. Of the other folders only
 * abandoned uploads go.
 */
export function openStagingFolder({
  folder,
  others,
  clock,
  logger,
  limits = LIMITS,
}: {
  readonly folder: string
  readonly others: readonly string[]
  readonly clock: Clock
  readonly logger: Logger
  readonly limits?: StagingLimits | undefined
}): StagingFolder {
  const ended = new AbortController()
  const { signal } = ended
  let count = 0
  let isFull = false
  const sweepAlways = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      try {
        const isDue = turn % limits.abandonedEvery === 0
        if (isDue) for (const other of others) await removeAbandoned(other, clock.now() - ABANDONED_MS)
        const left = await sweepStaging(folder, { now: clock.now(), limits })
        count = left.files
        isFull = left.bytes > limits.maxBytes
      } catch (error) {
        logger.warn({ err: error }, 'staging folder could not be swept')
      }
      await clock.sleep(limits.sweepMs, { signal }).catch(() => undefined)
    }
  }
  const sweeping = sweepAlways()
  const claim = (): void => {
    if (isFull || count >= limits.maxFiles) throw stagingFull()
    count += 1
  }
  return {
    claim,
    release() {
      count = Math.max(0, count - 1)
    },
    async createFile() {
      claim()
      const path = join(folder, `output-${randomUUID()}.tmp`)
      try {
        await (await open(path, 'wx', 0o660)).close()
      } catch (error) {
        throw toFileError(error, 'written', path)
      }
      return path
    },
    async close() {
      ended.abort()
      await sweeping
    },
  }
}

/** Names of uploads under way and of temporary files. */
const UPLOAD = /\.sha256\.(?:part|target)$|^\..+\.[0-9a-f]{12}\.tmp$/

interface StagedEntry {
  readonly path: string
  readonly size: number
  readonly changedAt: number
}

/** Removes old files, then the oldest ones above the limits. @returns what is left */
export async function sweepStaging(
  folder: string,
  { now, limits }: { readonly now: number; readonly limits: StagingLimits },
): Promise<{ readonly files: number; readonly bytes: number }> {
  const entries = (await listEntries(folder, now, limits)).sort((a, b) => a.changedAt - b.changedAt)
  let files = entries.length
  let bytes = entries.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size, changedAt } of entries) {
    const age = now - changedAt
    const isOver = files > limits.maxFiles || bytes > limits.maxBytes
    if (age < limits.maxAgeMs && !(isOver && age >= limits.leastAgeMs)) continue
    await unlink(path).catch(() => undefined)
    files -= 1
    bytes -= size
  }
  return { files, bytes }
}

async function listEntries(root: string, now: number, { maxAgeMs }: StagingLimits): Promise<StagedEntry[]> {
  const found: StagedEntry[] = []
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        await visit(path)
        await removeOldFolder(path, now - maxAgeMs)
      } else if (entry.isFile()) {
        const facts = await stat(path).catch(() => undefined)
        if (facts !== undefined) found.push({ path, size: facts.size, changedAt: facts.mtimeMs })
      } else await rm(path, { force: true }).catch(() => undefined)
    }
  }
  await visit(root)
  return found
}

/** Removes uploads under way that have not grown since a time, milliseconds since the epoch. */
export async function removeAbandoned(folder: string, before: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await removeAbandoned(path, before)
    else if (entry.isFile() && UPLOAD.test(entry.name)) {
      const facts = await stat(path).catch(() => undefined)
      if (facts !== undefined && facts.mtimeMs < before) await unlink(path).catch(() => undefined)
    }
  }
}

/** Removes a folder that has been empty for long. */
async function removeOldFolder(path: string, before: number): Promise<void> {
  const facts = await stat(path).catch(() => undefined)
  if (facts !== undefined && facts.mtimeMs < before) await rmdir(path).catch(() => undefined)
}
