/** Interval of the pings of a connection, and the longest wait for their answers. */
export interface KeepaliveTimes {
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** Other servers close a connection that is pinged more often than every five minutes. */
export const KEEPALIVE: KeepaliveTimes = { intervalMs: 330_000, timeoutMs: 60_000 }

/** The connection that is pinged. */
interface Pinged {
  ping(answered: (error: Error | null) => void): boolean
  destroy(): void
}

/** Pings a connection while calls run on it and breaks it off when no answer comes. */
export class Keepalive {
  readonly #session: Pinged
  readonly #times: KeepaliveTimes
  #timer: NodeJS.Timeout | undefined
  /** The time for a ping came while no call ran; the next call sends it. */
  #isDue = false
  #isActive = false

  constructor(session: Pinged, times: KeepaliveTimes) {
    this.#session = session
    this.#times = times
  }

  /** Calls run from now on. */
  start(): void {
    this.#isActive = true
    if (this.#isDue) this.#ping()
    else this.#timer ??= this.#after(this.#times.intervalMs, () => this.#ping())
  }

  /** No call runs from now on. */
  pause(): void {
    this.#isActive = false
  }

  /** The connection is gone. */
  stop(): void {
    this.#isActive = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #ping(): void {
    this.#isDue = !this.#isActive
    this.#timer = undefined
    if (this.#isDue) return
    this.#timer = this.#after(this.#times.timeoutMs, () => this.#session.destroy())
    const answered = (error: Error | null): void => {
      clearTimeout(this.#timer)
      this.#timer = undefined
      if (error !== null) this.#session.destroy()
      else if (this.#isActive) this.start()
    }
    if (!this.#session.ping(answered)) this.#session.destroy()
  }

  #after(delayMs: number, run: () => void): NodeJS.Timeout {
    return setTimeout(run, delayMs).unref()
  }
}
