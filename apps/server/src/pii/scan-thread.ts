import { Worker } from 'node:worker_threads'
import { SvcError } from '@svc/errors'
import { listBuffers, type PackedDetections, type PatternTask } from '@svc/pii/offload'

/** What a thread is sent. */
export type ScanMessage =
  | { readonly kind: 'scan'; readonly task: PatternTask }
  /** Whoever wanted the document scanned has left; it is answered all the same, in whatever way. */
  | { readonly kind: 'abandon' }

/** What it says of a document. */
export type ScanReply =
  | { readonly kind: 'found'; readonly found: PackedDetections }
  | { readonly kind: 'failed'; readonly code?: string | undefined }

/** One thread; it has one document at a time, and is gone after it failed. */
export class ScanThread {
  readonly #worker: Worker
  #waiting: { resolve(reply: ScanReply): void; reject(error: unknown): void } | undefined
  isGone = false

  constructor({ program, heapMiB }: { readonly program: URL; readonly heapMiB: number }) {
    const fromSource = import.meta.url.endsWith('.ts')
    this.#worker = new Worker(program, {
      workerData: { fromSource },
      // other flags of the program, such as a loader of its own, are not for this thread
      execArgv: fromSource ? ['--conditions=@svc/source'] : [],
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    // only a scan keeps the program alive
    this.#worker.unref()
    this.#worker.on('message', (reply: ScanReply) => this.#waiting?.resolve(reply))
    for (const event of ['error', 'messageerror', 'exit']) this.#worker.on(event, () => this.#fail())
  }

  /** @throws {SvcError} `unavailable`, code `scan_thread_ended`, when the thread ends over it */
  async ask(task: PatternTask): Promise<ScanReply> {
    this.#worker.ref()
    try {
      return await new Promise<ScanReply>((resolve, reject) => {
        this.#waiting = { resolve, reject }
        this.#send({ kind: 'scan', task })
      })
    } finally {
      this.#waiting = undefined
      this.#worker.unref()
    }
  }

  /** Tells it that nobody waits for its document any more. */
  abandon(): void {
    this.#send({ kind: 'abandon' })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(message: ScanMessage): void {
    this.#worker.postMessage(message, message.kind === 'scan' ? listBuffers(message.task) : [])
  }

  /** What it ended of is left out: it may quote the document. */
  #fail(): void {
    this.isGone = true
    this.#waiting?.reject(new SvcError('unavailable', 'the thread of a scan ended', { code: 'scan_thread_ended' }))
  }
}
