import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { SvcError } from '@svc/errors'
import type { PatternScanner } from '@svc/pii/offload'
import { createTaskQueue } from '../concurrency/task-queue.ts'
import type { Clock, Logger } from '../ports.ts'
import { ScanThread } from './scan-thread.ts'

/** Searches patterns on threads, so that a large document does not block other requests (threats PII-13). */
export interface ScanThreads extends PatternScanner {
  /** Ends the threads and their scans. */
  close(): Promise<void>
}

/** Options of {@link createScanThreads}. */
export interface ScanThreadsOptions {
  readonly clock: Clock
  readonly logger: Logger
  /**
   * Maximum number of threads; another one starts when all are busy. @default one less than there are processors, 1 to
   * 4
   */
  readonly threads?: number | undefined
  /** Maximum number of waiting documents; above it scans are refused. @default 64 */
  readonly waiting?: number | undefined
  /** Time that a thread may take to abandon a document. @default 1000 */
  readonly leaveMs?: number | undefined
  /** Time without a document after which all threads end, because they hold memory of the last ones. @default 30000 */
  readonly idleMs?: number | undefined
  /** Heap of a thread in MiB; a thread that needs more ends, and its scan fails. @default 512 */
  readonly heapMiB?: number | undefined
  /** The file that a thread runs. @default the one of this server */
  readonly program?: URL | undefined
}

const MAX_THREADS = 4
const WAITING = 64
const LEAVE_MS = 1000
const IDLE_MS = 30_000
const HEAP_MIB = 512

/**
 * Creates the threads; the first document starts the first one. A thread that ends fails its document as a failing
 * detector does, and the next document starts another one.
 */
export function createScanThreads(options: ScanThreadsOptions): ScanThreads {
  const {
    clock,
    logger,
    leaveMs = LEAVE_MS,
    idleMs = IDLE_MS,
    heapMiB = HEAP_MIB,
    program = findShippedProgram(),
  } = options
  const queue = createTaskQueue({
    concurrency: options.threads ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)),
    limit: options.waiting ?? WAITING,
    refusals: {
      busy: () =>
        new SvcError('unavailable', 'too many documents wait for a scan', { code: 'scan_busy', retryAfterMs: 1000 }),
      closed: () => new SvcError('unavailable', 'no documents are scanned any more', { code: 'scan_closed' }),
    },
  })
  let idle: ScanThread[] = []
  let resting = new AbortController()

  function takeThread(): ScanThread {
    resting.abort()
    idle = idle.filter(({ isGone }) => !isGone)
    return idle.pop() ?? new ScanThread({ program, heapMiB })
  }

  function putBack(thread: ScanThread): void {
    resting.abort()
    resting = new AbortController()
    if (!thread.isGone) idle.push(thread)
    clock.sleep(idleMs, { signal: resting.signal }).then(endIdle, () => undefined)
  }

  async function endIdle(): Promise<void> {
    resting.abort()
    await Promise.all(idle.splice(0).map((thread) => thread.end()))
  }

  /** Tells a thread to abandon its document; ends it when it does not. */
  function leave(thread: ScanThread, left: AbortSignal): void {
    thread.abandon()
    clock.sleep(leaveMs, { signal: left }).then(
      () => thread.end(),
      () => undefined,
    )
  }

  const scan: PatternScanner['scan'] = async (task, { signal }) => {
    const thread = takeThread()
    const left = new AbortController()
    const onAbort = (): void => leave(thread, left.signal)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const reply = await thread.ask(task)
      if (reply.kind === 'found') return reply.found
      throw new SvcError('internal', 'a scan failed', { code: reply.code ?? 'scan_failed' })
    } catch (error) {
      const code = SvcError.is(error) ? error.code : undefined
      if (!signal.aborted) logger.warn({ code }, 'a large document could not be scanned')
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      left.abort()
      putBack(thread)
    }
  }

  return {
    scan: (task, options_) => queue.run((signal) => scan(task, { signal }), options_),
    async close() {
      await queue.close()
      await endIdle()
    },
  }
}

/** Finds the program of the threads beside this file, or beside the bundle, where it is a bundle of its own. */
function findShippedProgram(): URL {
  const name = import.meta.url.endsWith('.ts') ? './scan-worker.mjs' : './scan-worker.js'
  const program = new URL(name, import.meta.url)
  if (!existsSync(program)) throw new Error(`${fileURLToPath(program)} is missing from the installation`)
  return program
}
