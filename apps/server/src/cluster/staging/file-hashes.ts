import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { makeFileFolder } from '../../files/make-folder.ts'
import { readJsonFile } from '../../files/read-json-file.ts'
import { writeFileAtomic } from '../../files/write-file-atomic.ts'

const FILE_NAME = 'file-hashes.json'
/** Smaller files are read again. */
const LEAST_BYTES = 8n * 1024n * 1024n
const MAX_ENTRIES = 2000
const MAX_FILE_BYTES = 900_000
const PIECE_BYTES = 1024 * 1024
/** Milliseconds in which a file may change twice without a new time. */
const UNSURE_MS = 2000

/** SHA-256 of files; those of large files are kept in a file of the data folder. */
export interface FileHashes {
  /**
   * @param path without symbolic links
   * @param options.onPiece called while the file is read
   * @returns 64 hexadecimal digits, and the size in bytes
   * @throws {SvcError} `unavailable`, code `staging_failed`, when it cannot be read, or changes meanwhile
   */
  hash(
    path: string,
    options: { readonly onPiece: () => void; readonly signal: AbortSignal },
  ): Promise<{ readonly sha256: string; readonly sizeBytes: number }>
}

interface Entry {
  readonly path: string
  /** Changes with the file. */
  readonly version: string
  readonly sha256: string
}

/** Creates the hashes of a data folder. */
export function createFileHashes({
  dataPath,
  clock,
}: {
  readonly dataPath: string
  readonly clock: { now(): number }
}): FileHashes {
  const keptPath = join(dataPath, FILE_NAME)
  return {
    async hash(path, { onPiece, signal }) {
      const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
        throw failed('cannot be read', error)
      })
      try {
        const before = await file.stat({ bigint: true })
        const isLarge = before.size >= LEAST_BYTES
        const version = toVersion(before)
        const kept = isLarge ? (await readEntries(keptPath)).find((entry) => entry.path === path) : undefined
        const sizeBytes = Number(before.size)
        if (kept?.version === version) return { sha256: kept.sha256, sizeBytes }
        const hash = createHash('sha256')
        for await (const piece of file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false, signal })) {
          hash.update(piece as Buffer)
          onPiece()
        }
        const after = await file.stat({ bigint: true })
        if (toVersion(after) !== version) throw failed('changed while it was read')
        const sha256 = hash.digest('hex')
        const isSure = clock.now() - Number(after.mtimeMs) > UNSURE_MS
        if (isLarge && isSure) await keep(keptPath, dataPath, { path, version, sha256 })
        return { sha256, sizeBytes }
      } catch (error) {
        signal.throwIfAborted()
        throw SvcError.is(error) ? error : failed('cannot be read', error)
      } finally {
        await file.close()
      }
    },
  }
}

const toVersion = ({ dev, ino, size, mtimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs].join(':')

/** The entries, oldest first. A file that cannot be read has none. */
async function readEntries(keptPath: string): Promise<readonly Entry[]> {
  const read = await readJsonFile(keptPath).catch(() => undefined)
  if (read?.state !== 'read') return []
  const value: unknown = read.root.toValue()
  return Array.isArray(value) ? value.filter(isEntry) : []
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { path, version, sha256 } = value as Readonly<Record<string, unknown>>
  return typeof path === 'string' && typeof version === 'string' && typeof sha256 === 'string' && isHash(sha256)
}

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Another writer's entry may be lost: its file is then read again. */
async function keep(keptPath: string, dataPath: string, entry: Entry): Promise<void> {
  const others = (await readEntries(keptPath)).filter(({ path }) => path !== entry.path)
  let entries = [...others.slice(1 - MAX_ENTRIES), entry]
  while (entries.length > 1 && Buffer.byteLength(JSON.stringify(entries)) > MAX_FILE_BYTES) {
    entries = entries.slice(Math.ceil(entries.length / 4))
  }
  try {
    await makeFileFolder(dataPath)
    await writeFileAtomic(keptPath, JSON.stringify(entries), { mode: 0o600 })
  } catch {
    // Without it the file is read again next time.
  }
}

function failed(reason: string, cause?: unknown): SvcError {
  return new SvcError('unavailable', `a file of the model ${reason}`, { code: 'staging_failed', cause })
}
