import type { DownloadedFile, Downloader, DownloadRequest } from './downloader.ts'

/** Files that belong together. */
export interface DownloadSet {
  readonly files: readonly Omit<DownloadRequest, 'signal' | 'onProgress'>[]
  /** Whole files that are fetched at a time; parts of one never are. */
  readonly concurrency: number
  readonly onProgress: (progress: SetProgress) => void
  readonly signal: AbortSignal
}

/** Progress of a set. */
export interface SetProgress {
  readonly currentBytes: number
  /** Bytes of the files whose size is known. */
  readonly totalBytes: number
  /** Bytes that have come by now, without those that were here before. */
  readonly receivedBytes: number
  /** The target that has news. */
  readonly target: string
}

interface FileSizes {
  current: number
  total: number
  /** Bytes that were here before. */
  begin?: number
}

/**
 * Fetches the files of a set. The first failure ends the others, whose data stays or goes as that of an abort does.
 *
 * @throws what {@link Downloader.download} throws
 */
export async function downloadFiles(downloader: Downloader, set: DownloadSet): Promise<readonly DownloadedFile[]> {
  const { files, concurrency, onProgress } = set
  await downloader.checkRoom(files)
  const failed = new AbortController()
  const signal = AbortSignal.any([set.signal, failed.signal])
  const sizes = files.map(({ sizeBytes = 0 }): FileSizes => ({ current: 0, total: sizeBytes }))
  const done = new Array<DownloadedFile>(files.length)
  const waiting = files.map((file, index) => ({ file, index }))

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, index } = next
      const size: FileSizes = sizes[index] ?? { current: 0, total: 0 }
      done[index] = await downloader.download({
        ...file,
        signal,
        onProgress({ currentBytes, totalBytes = size.total }) {
          size.current = currentBytes
          // The first news tells where an earlier download has stopped.
          size.begin = Math.min(size.begin ?? currentBytes, currentBytes)
          size.total = Math.max(totalBytes, currentBytes)
          const sum = (of: keyof FileSizes): number => sizes.reduce((total, one) => total + (one[of] ?? 0), 0)
          const current = sum('current')
          onProgress({
            currentBytes: current,
            totalBytes: sum('total'),
            receivedBytes: current - sum('begin'),
            target: file.target,
          })
        },
      })
    }
  }
  const workers = Array.from({ length: Math.max(1, Math.min(concurrency, files.length)) }, () =>
    work().catch((error: unknown) => {
      failed.abort(error)
      throw error
    }),
  )
  const results = await Promise.allSettled(workers)
  set.signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
  const rejected = results.find((result) => result.status === 'rejected')
  if (rejected?.status === 'rejected') throw rejected.reason
  return done
}
