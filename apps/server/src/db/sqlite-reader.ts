import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import type { Clock } from '../ports.ts'
import type { DatabaseRow, ReadOptions, ReadQuery } from './database.ts'
import { toDatabaseError } from './database-error.ts'
import { MAX_ROWS, MAX_WAITING_READS, tooManyRows } from './read-limits.ts'
import { createReadQueue } from './read-queue.ts'
import { findShippedPath } from './shipped-path.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

type Reply = { readonly id: number } & (
  | { readonly outcome: 'rows'; readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly outcome: 'cancelled' | 'too-many' }
  | { readonly outcome: 'failed'; readonly message: string; readonly code: string }
)

/** Cancels the read that runs, whatever its id. */
const EVERY_READ = -1
/** Time for a thread to end by itself. */
const END_MS = 2000
/** Time without a read after which the thread ends, because it holds some 10 MB. */
const REST_MS = 10_000

/** Heavy reads away from the main thread. */
export interface SqliteReader {
  read(query: ReadQuery, options: ReadOptions): Promise<readonly DatabaseRow[]>
  close(): Promise<void>
}

function toRows(columns: readonly string[], rows: readonly (readonly unknown[])[]): readonly DatabaseRow[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
}

/** One thread with the file open; it ends after a failure. */
class ReaderThread {
  readonly #worker: Worker
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  #waiting: { resolve(reply: Reply): void; reject(error: unknown): void } | undefined
  #nextId = 1
  isGone = false

  constructor(engine: SqliteEngine, path: string) {
    this.#worker = new Worker(pathToFileURL(findShippedPath('reader-worker.mjs')), {
      workerData: { engine, path, cancelled: this.#cancelled },
      // options of the program, such as a loader, do not apply to this thread
      execArgv: [],
    })
    this.#worker.unref()
    this.#worker.on('message', (reply: Reply) => this.#waiting?.resolve(reply))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the reader thread ended')))
  }

  async ask(query: ReadQuery, maxRows: number, signal: AbortSignal): Promise<Reply> {
    const id = this.#nextId
    this.#nextId += 1
    const cancel = (): void => {
      Atomics.store(this.#cancelled, 0, id)
    }
    signal.addEventListener('abort', cancel, { once: true })
    // a request keeps the program alive
    this.#worker.ref()
    try {
      return await new Promise<Reply>((resolve, reject) => {
        this.#waiting = { resolve, reject }
        this.#worker.postMessage({ id, sql: query.sql, params: query.params ?? [], maxRows })
      })
    } finally {
      this.#waiting = undefined
      this.#worker.unref()
      signal.removeEventListener('abort', cancel)
    }
  }

  /**
   * Has the thread end by itself, between two rows. Terminating it while the engine opens the file would abort the whole
   * process; a thread that does not end in time is in a long read, where that is safe.
   */
  async end(): Promise<void> {
    if (this.isGone) return
    this.#worker.ref()
    const ended = once(this.#worker, 'exit', { signal: AbortSignal.timeout(END_MS) }).catch(() => undefined)
    Atomics.store(this.#cancelled, 0, EVERY_READ)
    this.#worker.postMessage('end')
    await ended
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.isGone = true
    this.#waiting?.reject(error)
  }
}

/**
 * Creates a reader. The first read starts its thread, and so does the next read after a failure or after 10 s without a
 * read.
 */
export function createSqliteReader({
  engine,
  path,
  clock = systemClock,
}: {
  readonly engine: SqliteEngine
  readonly path: string
  readonly clock?: Pick<Clock, 'sleep'> | undefined
}): SqliteReader {
  const queue = createReadQueue({ concurrency: 1, limit: MAX_WAITING_READS })
  let thread: ReaderThread | undefined
  let rest: AbortController | undefined
  let ended: Promise<void> | undefined
  let isClosed = false

  async function ask(query: ReadQuery, maxRows: number, signal: AbortSignal): Promise<readonly DatabaseRow[]> {
    rest?.abort()
    if (thread === undefined || thread.isGone) thread = new ReaderThread(engine, path)
    const reply = await thread.ask(query, maxRows, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw toDatabaseError(error)
    })
    void endAfterRest()
    switch (reply.outcome) {
      case 'rows':
        return toRows(reply.columns, reply.rows)
      case 'too-many':
        throw tooManyRows(maxRows)
      case 'cancelled':
        throw signal.reason
      case 'failed':
        throw toDatabaseError(Object.assign(new Error(reply.message), { code: reply.code }))
    }
  }

  async function endAfterRest(): Promise<void> {
    if (isClosed) return
    rest = new AbortController()
    const { signal } = rest
    const wasQuiet = await clock.sleep(REST_MS, { signal }).then(
      () => true,
      () => false,
    )
    if (!wasQuiet || signal.aborted) return
    const resting = thread
    thread = undefined
    ended = resting?.end()
    await ended
  }

  return {
    read: (query, { signal, maxRows = MAX_ROWS }) => queue.run((task) => ask(query, maxRows, task), { signal }),
    async close() {
      isClosed = true
      rest?.abort()
      // ends the thread without waiting for a long read
      const closed = queue.close()
      await thread?.end()
      await ended
      await closed
    },
  }
}
