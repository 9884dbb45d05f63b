import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { basename, extname, isAbsolute, posix } from 'node:path'
import { hashFile } from '../../downloads/hash-file.ts'
import { toFileError } from '../../files/file-error.ts'
import { stageFile } from './stage-file.ts'
import { createWorkerFiles, type WorkerFiles, type WorkerFilesOptions } from './worker-files.ts'

/** Time to go on with a file of a request after failures, milliseconds. */
const BUDGET_MS = 20_000
const MAX_PATH = 4096

export type RequestFilesOptions = WorkerFilesOptions

/** The files of one request. */
export interface RequestTransfer {
  readonly signal: AbortSignal
  /**
   * Sends the file at an absolute path.
   *
   * @returns its path at the worker; the same text where it is no path of a file
   */
  send(text: string): Promise<string>
  /** Chooses where the backend writes. @param path where the result comes to here */
  prepareResult(path: string): Promise<{ readonly path: string; fetch(): Promise<void> }>
}

/** Files that requests to one worker have there. */
export interface RequestFiles extends Pick<WorkerFiles, 'find'> {
  /** Runs a request, and then removes its files at the worker. */
  during<T>(signal: AbortSignal | undefined, work: (transfer: RequestTransfer) => Promise<T>): Promise<T>
  duringStream<T>(
    signal: AbortSignal | undefined,
    work: (transfer: RequestTransfer) => AsyncGenerator<T, void>,
  ): AsyncGenerator<T, void>
  /** Waits for removals under way. */
  close(): Promise<void>
}

/** Creates the files of requests to a worker. */
export function createRequestFiles(options: RequestFilesOptions): RequestFiles {
  const worker = createWorkerFiles(options)
  const removals = new Set<Promise<void>>()
  const begin = (given: AbortSignal | undefined) => {
    const signal = given ?? new AbortController().signal
    const keys: string[] = []
    return { keys, transfer: createTransfer({ ...options, worker, signal, keys }) }
  }
  const removeAll = (keys: readonly string[]): void => {
    for (const key of keys) {
      const removal = worker.remove(key).finally(() => removals.delete(removal))
      removals.add(removal)
    }
  }
  return {
    find: worker.find,
    async during(signal, work) {
      const { keys, transfer } = begin(signal)
      try {
        return await work(transfer)
      } finally {
        removeAll(keys)
      }
    },
    async *duringStream(signal, work) {
      const { keys, transfer } = begin(signal)
      try {
        yield* work(transfer)
      } finally {
        removeAll(keys)
      }
    },
    async close() {
      await Promise.all(removals)
    },
  }
}

function createTransfer(
  parts: RequestFilesOptions & {
    readonly worker: WorkerFiles
    readonly signal: AbortSignal
    /** Takes the keys of files at the worker. */
    readonly keys: string[]
  },
): RequestTransfer {
  const { address, token, client, clock, worker, signal, keys } = parts
  const id = randomUUID()
  return {
    signal,
    async send(text) {
      if (!(await isFile(text))) return text
      const { sha256, sizeBytes } = await hashFile(text, { signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw toFileError(error, 'read', text)
      })
      const key = `requests/${id}/${keys.length}-${basename(text)}`
      keys.push(key)
      const options = { client, address, token, budgetMs: BUDGET_MS, onProgress: () => undefined, clock, signal }
      return stageFile({ path: text, sizeBytes, sha256, key }, options)
    },
    async prepareResult(local) {
      const allocated = await worker.allocate(signal)
      keys.push(posix.basename(allocated))
      // Programs choose a format by the end of the name. The file beside the allocated one does not exist yet.
      const path = `${allocated}${extname(local)}`
      const key = posix.basename(path)
      if (path !== allocated) keys.push(key)
      return {
        path,
        async fetch() {
          await worker.fetch(key, local, signal)
        },
      }
    },
  }
}

async function isFile(text: string): Promise<boolean> {
  if (!isAbsolute(text) || text.length > MAX_PATH || text.includes('\0')) return false
  const found = await lstat(text).catch(() => undefined)
  return found?.isFile() === true
}
