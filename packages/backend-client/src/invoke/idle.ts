import { BackendError } from '../errors.ts'

/** The error of a stream that fell silent. */
export function idleError(path: string): BackendError {
  const details = { rpc: path }
  return new BackendError('timeout', 'the backend sent nothing for too long', { code: 'backend_idle', details })
}

/** Finds a stream that falls silent while its reader waits. One timer serves all waits of a stream. */
export class IdleWatch {
  readonly #idleTimeoutMs: number | undefined
  readonly #onIdle: () => void
  #timer: NodeJS.Timeout | undefined
  #isWaiting = false

  constructor(idleTimeoutMs: number | undefined, onIdle: () => void) {
    this.#idleTimeoutMs = idleTimeoutMs
    this.#onIdle = onIdle
  }

  /** The reader waits from now on. */
  wait(): void {
    this.#isWaiting = true
    if (this.#idleTimeoutMs === undefined) return
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#expire(), this.#idleTimeoutMs)
  }

  /** The reader has got something, or does not want anything. */
  rest(): void {
    this.#isWaiting = false
  }

  /** The stream is over. */
  stop(): void {
    this.#isWaiting = false
    clearTimeout(this.#timer)
  }

  #expire(): void {
    if (this.#isWaiting) this.#onIdle()
  }
}
