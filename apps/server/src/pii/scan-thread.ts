import { Worker } from 'node:worker_threads'
import { SvcError } from '@svc/errors'
import { listBuffers, type PackedDetections, type PatternTask } from '@svc/pii/offload'

/** A message to a thread. */
export type ScanMessage =
  | { readonly kind: 'scan'; readonly task: PatternTask }
  /** The caller has left; the thread still answers, with any result. */
  | { readonly kind: 'abandon' }

/** A message from a thread. */
export type ScanReply =
  | { readonly kind: 'found'; readonly found: PackedDetections }
  | { readonly kind: 'failed'; readonly code?: string | undefined }

/** One thread. It has one document at a time and ends after a failure. */
export class ScanThread {
  readonly #worker: Worker
  #waiting: { resolve(reply: ScanReply): void; reject(error: unknown): void } | undefined
  isGone = false

  constructor({ program, heapMiB }: { readonly program: URL; readonly heapMiB: number }) {
    const fromSource = import.meta.url.endsWith('.ts')
    this.#worker = new Worker(program, {
      workerData: { fromSource },
      // other options of the program, such as a loader, do not apply to this thread
      execArgv: fromSource ? ['--conditions=@svc/source'] : [],
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    // only a scan keeps the program alive
    this.#worker.unref()
    this.#worker.on('message', (reply: ScanReply) => this.#waiting?.resolve(reply))
    for (const event of ['error', 'messageerror', 'exit']) this.#worker.on(event, () => this.#fail())
  }

  /** Scans a document. @throws {SvcError} `unavailable`, code `scan_thread_ended`, when the thread ends meanwhile */
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

  /** Tells the thread that the caller has left. */
  abandon(): void {
    this.#send({ kind: 'abandon' })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(message: ScanMessage): void {
    this.#worker.postMessage(message, message.kind === 'scan' ? listBuffers(message.task) : [])
  }

  /** The error of the thread is dropped, because it may quote the document. */
  #fail(): void {
    this.isGone = true
    this.#waiting?.reject(new SvcError('unavailable', 'the thread of a scan ended', { code: 'scan_thread_ended' }))
  }
}
