import { constants } from 'node:fs'
import { chmod, copyFile, link, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { createKeyedLock } from '../concurrency/keyed-lock.ts'
import { toFileError } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import { readDisk } from '../monitoring/host-figures.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import { nameFetchFailure } from '../outbound/failures.ts'
import type { Clock, Logger } from '../ports.ts'
import { isDiskFull, mayPass, noRoom, replaced, spoilsPartial, wrongContent } from './download-failures.ts'
import { type DownloadSource, describeSource } from './download-source.ts'
import { fetchRest } from './fetch-rest.ts'
import { hashFile } from './hash-file.ts'
import type { KnownFiles } from './known-files.ts'
import { openPartial, type PartialFile, removePartial } from './partial-file.ts'

/** A file to fetch. */
export interface DownloadRequest {
  /** Absolute path; its folder is made when it is missing. */
  readonly target: string
  readonly source: DownloadSource
  /** Hash in lower-case hexadecimal digits. */
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  /** Size that the origin announces; used only to check the free space. */
  readonly expectedBytes?: number | undefined
  /** Looks at the whole content before it takes its place. @throws {SvcError} for content that must not */
  readonly check?: ((path: string) => Promise<void>) | undefined
  readonly onProgress?: ((progress: FileProgress) => void) | undefined
  /** Whether an abort leaves the fetched bytes for the next download. @default always */
  readonly keepsData?: (() => boolean) | undefined
  readonly signal: AbortSignal
}

/** Progress of a file. */
export interface FileProgress {
  readonly currentBytes: number
  readonly totalBytes?: number | undefined
}

/** A file in its place. */
export interface DownloadedFile {
  readonly sha256: string
  readonly sizeBytes: number
  /** Whether the content was here already, under this or another name. */
  readonly isReused: boolean
}

/** Fetches files over HTTP and puts them in their place whole, or not at all (threats GAL-2). */
export interface Downloader {
  /**
   * Fetches a file. A target that has the hash, or that has any content where no hash is known, stays as it is. An
   * interrupted download goes on where it stopped. A target is written by one download at a time, and a content with a
   * hash is fetched by one at a time: the others get it from there.
   *
   * @throws {SvcError} `upstream_failed` (`download_refused`, `download_corrupt`, `download_cut`, `fetch_failed`),
   *   `timeout` (`fetch_timeout`), `invalid_request` (`url_not_allowed`), `insufficient_storage` (`disk_full`), `internal`
   *   (`file_failed`), `conflict` (`file_changed`); what `check` throws; the signal's reason
   */
  download(request: DownloadRequest): Promise<DownloadedFile>
  /**
   * Looks whether the disk has room for everything that several downloads miss, as far as their sizes are known.
   *
   * @throws {SvcError} `insufficient_storage`, code `no_room`
   */
  checkRoom(
    requests: readonly Pick<DownloadRequest, 'target' | 'sha256' | 'sizeBytes' | 'expectedBytes'>[],
  ): Promise<void>
  /** The size of the content at its origin, where the origin reports it. Never rejects but with the signal's reason. */
  measureSize(source: DownloadSource, options: { readonly signal: AbortSignal }): Promise<number | undefined>
}

/** Options of {@link createDownloader}. */
export interface DownloaderOptions {
  readonly client: OutboundClient
  readonly clock: Clock
  readonly logger: Logger
  readonly known?: KnownFiles | undefined
  /** Longest silence of an origin. @default 60000 */
  readonly stallMs?: number | undefined
  /** Parts of a large file that are fetched at a time; 1 for none. @default 4 */
  readonly parts?: number | undefined
  /** Bytes of one part, a few of which wait in memory. @default 16 MiB */
  readonly partBytes?: number | undefined
  /** Wait before the second attempt, milliseconds; doubled for each further one. @default 2000 */
  readonly retryMs?: number | undefined
}

/** Attempts in a row that bring nothing. One that gets {@link PROGRESS_BYTES} further than any before begins to count anew. */
const MAX_ATTEMPTS = 3
/** Largest number of times that a whole file with a wrong hash is fetched again. */
const MAX_RESTARTS = 2
const PROGRESS_BYTES = 64 * 1024
const STALL_MS = 60_000
const RETRY_MS = 2000
const HEAD_MS = 10_000
const PARTS = 4
const PART_BYTES = 16 * 1024 * 1024
/** Left on the disk for everything else. */
const SPARE_BYTES = 16 * 1024 * 1024
/** Given back to a disk that a partial file has filled, for the other files of the server. */
const GIVEN_BACK_BYTES = 4 * 1024 * 1024
const FILE_MODE = 0o644

/** A downloader over the guarded client. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const lock = createKeyedLock()
  return {
    download(request) {
      const { target, sha256, signal } = request
      const start = (): Promise<DownloadedFile> => download(request, options)
      // A caller that waited for a content finds it here, or fetches it itself where the other caller has failed.
      const onceEach = sha256 === undefined ? start : () => lock.run(`sha256:${sha256}`, start, { signal })
      return lock.run(resolve(target), onceEach, { signal })
    },
    async checkRoom(requests) {
      const [first] = requests
      if (first === undefined) return
      const missing = await Promise.all(requests.map((request) => countMissing(request, options)))
      await requireRoom(
        first.target,
        missing.reduce((sum, bytes) => sum + bytes, 0),
      )
    },
    async measureSize(source, { signal }) {
      try {
        await using reply = await options.client.fetch(source.url, {
          signal,
          trust: source.trust,
          method: 'HEAD',
          maxBytes: 0,
          timeoutMs: HEAD_MS,
          redirects: MAX_REDIRECTS,
          decode: false,
          ...(source.credentials === undefined ? {} : { credentials: source.credentials }),
        })
        const length = Number(reply.headers['content-length'] ?? Number.NaN)
        return reply.status === 200 && Number.isSafeInteger(length) ? length : undefined
      } catch {
        signal.throwIfAborted()
        return undefined
      }
    },
  }
}

async function download(request: DownloadRequest, options: DownloaderOptions): Promise<DownloadedFile> {
  const { target, signal, keepsData = () => true } = request
  await makeFileFolder(dirname(target))
  const present = (await findPresent(request)) ?? (await linkKnown(request, options))
  if (present !== undefined) {
    await removePartial(target)
    request.onProgress?.({ currentBytes: present.sizeBytes, totalBytes: present.sizeBytes })
    return { ...present, isReused: true }
  }
  const partial = await openPartial(target, { signal })
  try {
    await fetchAll(partial, request, options)
    return { ...(await finish(partial, request, options)), isReused: false }
  } catch (error) {
    if (partial.offset === 0 || (signal.aborted && !keepsData())) await removePartial(target)
    throw error
  } finally {
    await partial.close()
  }
}

/** The target itself, where it has the wanted content. */
async function findPresent({ target, sha256, signal }: DownloadRequest): Promise<Content | undefined> {
  const found = await stat(target).catch(() => undefined)
  if (found === undefined || !found.isFile()) return undefined
  const content = await hashFile(target, { signal })
  return sha256 === undefined || content.sha256 === sha256 ? content : undefined
}

/** A content and its size. */
type Content = Pick<DownloadedFile, 'sha256' | 'sizeBytes'>

/** Gives a file of the same content the name of the target as well. */
async function linkKnown(
  { target, sha256, signal }: DownloadRequest,
  { known }: DownloaderOptions,
): Promise<Content | undefined> {
  if (sha256 === undefined || known === undefined) return undefined
  // A file that is moved to its place meanwhile is looked for twice.
  const paths = await known.find(sha256)
  for (const path of [...paths, ...paths]) {
    // Linked first: what is hashed then is what gets the name, whatever becomes of the other one.
    const temporary = createTemporaryPath(target)
    try {
      await link(path, temporary).catch(() => copyFile(path, temporary, constants.COPYFILE_EXCL))
      const content = await hashFile(temporary, { signal })
      if (content.sha256 !== sha256) continue
      await rename(temporary, target)
      await known.add({ path: target, sha256 })
      return content
    } catch {
      // It is gone by now, or cannot be read: then the content is fetched.
      signal.throwIfAborted()
    } finally {
      await unlink(temporary).catch(() => undefined)
    }
  }
  return undefined
}

/** Attempts until everything is there. @throws the last failure */
async function fetchAll(partial: PartialFile, request: DownloadRequest, options: DownloaderOptions): Promise<void> {
  const { source, signal } = request
  const { client, clock, logger, stallMs = STALL_MS, retryMs = RETRY_MS } = options
  const { parts = PARTS, partBytes = PART_BYTES } = options
  const what = `${basename(request.target)} from ${describeSource(source)}`
  const { sha256, sizeBytes, onProgress = () => undefined } = request
  const checkRoom = (bytes: number): Promise<void> => requireRoom(request.target, bytes)
  let restarts = 0
  let furthest = partial.offset
  for (let failures = 0; ; ) {
    let isPieced = false
    const onPieces = (): void => {
      isPieced = true
    }
    try {
      await fetchRest({
        partial,
        source,
        sha256,
        sizeBytes,
        what,
        client,
        stallMs,
        partBytes,
        parts: restarts > 0 ? 1 : parts,
        checkRoom,
        onProgress,
        onPieces,
        signal,
      })
      if (sha256 === undefined || partial.digest() === sha256) return
      // Parts that do not fit together may come out right when they are fetched in one.
      const isTriedAgain = isPieced && restarts < MAX_RESTARTS
      restarts += 1
      furthest = 0
      await partial.restart({ url: source.url, sha256, sizeBytes })
      if (!isTriedAgain) throw wrongContent(what, `its SHA-256 is not ${sha256}`)
    } catch (error) {
      signal.throwIfAborted()
      failures = partial.offset - furthest >= PROGRESS_BYTES ? 1 : failures + 1
      furthest = Math.max(furthest, partial.offset)
      if (!mayPass(error) || failures >= MAX_ATTEMPTS) {
        if (spoilsPartial(error, partial.facts)) await removePartial(request.target)
        else if (isDiskFull(error)) await partial.shorten(GIVEN_BACK_BYTES)
        throw nameFetchFailure(error, what)
      }
      logger.info({ err: error, url: describeSource(source), offset: partial.offset }, 'download is tried again')
      await clock.sleep(retryMs * 2 ** (failures - 1), { signal })
    }
  }
}

/** Bytes that a download still has to write; 0 where they are unknown. */
async function countMissing(
  { target, sha256, sizeBytes, expectedBytes = sizeBytes }: Parameters<Downloader['checkRoom']>[0][number],
  { known }: DownloaderOptions,
): Promise<number> {
  if (expectedBytes === undefined) return 0
  const there = await Promise.all([target, `${target}.partial`].map((path) => stat(path).catch(() => undefined)))
  if (there[0] !== undefined) return 0
  if (sha256 !== undefined && ((await known?.find(sha256)) ?? []).length > 0) return 0
  return Math.max(0, expectedBytes - (there[1]?.size ?? 0))
}

async function requireRoom(target: string, bytes: number): Promise<void> {
  const disk = await readDisk(await findFolder(dirname(target)))
  if (disk === undefined) return
  const missing = bytes + SPARE_BYTES - disk.available
  if (missing > 0) throw noRoom(basename(target), missing)
}

/** Puts a whole partial file in the place of the target. */
async function finish(partial: PartialFile, request: DownloadRequest, { known }: DownloaderOptions): Promise<Content> {
  const { target, signal, check } = request
  const content = { sha256: partial.digest(), sizeBytes: partial.offset }
  try {
    await check?.(partial.path)
  } catch (error) {
    // Content that has its hash is the wanted one: it is not fetched again.
    if (request.sha256 === undefined) await removePartial(target)
    throw error
  }
  signal.throwIfAborted()
  await partial.sync()
  if (!(await partial.isInPlace())) throw replaced(basename(target))
  try {
    await chmod(partial.path, FILE_MODE)
    await rename(partial.path, target)
    await syncFolder(dirname(target))
  } catch (error) {
    throw toFileError(error, 'written', target)
  }
  await removePartial(target)
  await known?.add({ path: target, sha256: content.sha256 })
  return content
}

/** The folder, or the nearest one above it that is there. */
async function findFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  const parent = dirname(folder)
  return found !== undefined || parent === folder ? folder : findFolder(parent)
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
