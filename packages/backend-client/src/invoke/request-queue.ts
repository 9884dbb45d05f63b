import type { Writable } from 'node:stream'

/** Bytes that may wait to be sent before a writer has to wait. */
const MAX_WAITING_BYTES = 256 * 1024

/** Sends the requests of a call that stays open for more. They wait here until the call has its stream. */
export class RequestQueue {
  #stream: Writable | undefined
  #frames: Buffer[] = []
  #bytes = 0
  #writers: (() => void)[] = []
  #isOpen = true

  /** True until the last request is written, or until the backend takes no more. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Sends one request; resolves when there is room for another, or when no more can be sent. */
  async write(frame: Buffer): Promise<void> {
    if (!this.#isOpen) return
    if (this.#stream === undefined) {
      this.#frames.push(frame)
      this.#bytes += frame.length
    } else this.#stream.write(frame)
    if ((this.#stream?.writableLength ?? this.#bytes) < MAX_WAITING_BYTES) return
    await new Promise<void>((resolve) => {
      this.#writers.push(resolve)
    })
  }

  /** Says that no more requests follow. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#stream?.end()
    // No drain follows an end.
    this.#wakeWriters()
  }

  /** Sends on this stream from now on. */
  sendTo(stream: Writable): void {
    this.#stream = stream
    stream.on('drain', () => this.#wakeWriters())
    // The backend has ended the call. A write after it would keep replies that are here from their reader.
    stream.on('aborted', () => this.close())
    for (const frame of this.#frames.splice(0)) stream.write(frame)
    if (!this.#isOpen) stream.end()
  }

  /** Drops the requests that wait and those that follow. */
  close(): void {
    this.#isOpen = false
    this.#frames = []
    this.#wakeWriters()
  }

  #wakeWriters(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }
}
