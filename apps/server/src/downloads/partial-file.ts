import { createHash, type Hash } from 'node:crypto'
import { constants, type FileHandle, lstat, open, unlink } from 'node:fs/promises'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { readJsonFile } from '../files/read-json-file.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { ContentVersion } from './content-version.ts'
import { hashHandle } from './hash-file.ts'

/** Known facts of the content that a partial file is a part of. */
export interface PartialFacts extends ContentVersion {
  readonly url: string
  /** Hash that the whole content must have. */
  readonly sha256?: string | undefined
}

/** The first part of a file, in `<target>.partial`, with its facts beside it. */
export interface PartialFile {
  /** Bytes that are there. */
  readonly offset: number
  readonly facts: PartialFacts | undefined
  readonly path: string
  /**
   * Begins an empty file in place of this one and notes what the content now is a part of. Another server that has the old
   * file open keeps its bytes.
   */
  restart(facts: PartialFacts): Promise<void>
  append(pieces: readonly Uint8Array[]): Promise<void>
  /** Drops the last bytes, or all where there are fewer. The file cannot be used after that until it is opened anew. */
  shorten(bytes: number): Promise<void>
  /** Whether the path still leads to this file. */
  isInPlace(): Promise<boolean>
  /** The SHA-256 of the received bytes. */
  digest(): string
  sync(): Promise<void>
  close(): Promise<void>
}

const MODE = 0o600
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The places of a partial file and of its facts. */
function partialPaths(target: string): { readonly data: string; readonly facts: string } {
  return { data: `${target}.partial`, facts: `${target}.partial.json` }
}

/** Removes a partial file and its facts. */
export async function removePartial(target: string): Promise<void> {
  const { data, facts } = partialPaths(target)
  for (const path of [data, facts]) await unlink(path).catch(() => undefined)
}

/**
 * Opens the partial file of a target. Bytes without facts, or more of them than the whole content has, count as nothing.
 *
 * @throws {SvcError} `disk_full` or `file_failed`
 */
export async function openPartial(target: string, options: { readonly signal: AbortSignal }): Promise<PartialFile> {
  const paths = partialPaths(target)
  const facts = await readFacts(paths.facts)
  const file = await open(paths.data, FLAGS, MODE).catch((error: unknown) => {
    throw toFileError(error, 'written', paths.data)
  })
  try {
    const { size } = await file.stat()
    const isUsable = facts !== undefined && size <= (facts.sizeBytes ?? size)
    const hash = createHash('sha256')
    const offset = isUsable ? await hashHandle(file, hash, options) : 0
    return new OpenPartial({ file, paths, hash, offset, facts: isUsable ? facts : undefined })
  } catch (error) {
    await file.close()
    throw error
  }
}

class OpenPartial implements PartialFile {
  readonly path: string
  #file: FileHandle
  readonly #factsPath: string
  #hash: Hash
  offset: number
  facts: PartialFacts | undefined

  constructor(parts: {
    readonly file: FileHandle
    readonly paths: ReturnType<typeof partialPaths>
    readonly hash: Hash
    readonly offset: number
    readonly facts: PartialFacts | undefined
  }) {
    this.#file = parts.file
    this.#factsPath = parts.paths.facts
    this.path = parts.paths.data
    this.#hash = parts.hash
    this.offset = parts.offset
    this.facts = parts.facts
  }

  async restart(facts: PartialFacts): Promise<void> {
    await this.#guard(async () => {
      await this.#file.close()
      await unlink(this.path).catch((error: unknown) => {
        if (readSystemCode(error) !== 'ENOENT') throw error
      })
      this.#file = await open(this.path, FLAGS | constants.O_EXCL, MODE)
      this.#hash = createHash('sha256')
      this.offset = 0
      // Written after the file, so that facts are never beside bytes of another content.
      await writeFileAtomic(this.#factsPath, JSON.stringify(facts), { mode: MODE })
      this.facts = facts
    })
  }

  async append(pieces: readonly Uint8Array[]): Promise<void> {
    await this.#guard(async () => {
      for (const piece of pieces) {
        let written = 0
        while (written < piece.length) {
          const { bytesWritten } = await this.#file.write(piece, written, piece.length - written, this.offset)
          this.#hash.update(piece.subarray(written, written + bytesWritten))
          this.offset += bytesWritten
          written += bytesWritten
        }
      }
    })
  }

  async shorten(bytes: number): Promise<void> {
    await this.#guard(async () => {
      const offset = Math.max(0, this.offset - bytes)
      await this.#file.truncate(offset)
      this.offset = offset
    })
  }

  async isInPlace(): Promise<boolean> {
    const opened = await this.#file.stat({ bigint: true })
    const named = await lstat(this.path, { bigint: true }).catch(() => undefined)
    return named?.ino === opened.ino && named.dev === opened.dev
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  async sync(): Promise<void> {
    await this.#guard(() => this.#file.sync())
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      throw toFileError(error, 'written', this.path)
    }
  }
}

/** Facts that cannot be read count as none: the download then begins anew. */
async function readFacts(path: string): Promise<PartialFacts | undefined> {
  const read = await readJsonFile(path)
  if (read.state !== 'read') return undefined
  const value: unknown = read.root.toValue()
  if (typeof value !== 'object' || value === null || !('url' in value) || typeof value.url !== 'string')
    return undefined
  const { etag, lastModified, sizeBytes, sha256 } = value as Readonly<Record<string, unknown>>
  const toText = (field: unknown): string | undefined => (typeof field === 'string' ? field : undefined)
  return {
    url: value.url,
    etag: toText(etag),
    lastModified: toText(lastModified),
    sha256: toText(sha256),
    sizeBytes: typeof sizeBytes === 'number' && sizeBytes >= 0 ? sizeBytes : undefined,
  }
}
