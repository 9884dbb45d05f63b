/** Pauses between attempts to connect, in milliseconds: a backend is a process beside us that is there or is not. */
const FIRST_MS = 25
const LONGEST_MS = 100
const FACTOR = 1.6
const JITTER = 0.2

/** Time in which a backend that could not be reached is not tried again. */
export class BackOff {
  #delayMs = FIRST_MS
  #until = Number.NEGATIVE_INFINITY

  /** True while another attempt is too early. */
  isWaiting(nowMs: number): boolean {
    return nowMs < this.#until
  }

  /**
   * An attempt that began at this time has failed.
   *
   * @param random in 0..1
   */
  fail(beganMs: number, random: number): void {
    this.#until = beganMs + this.#delayMs
    const next = Math.min(this.#delayMs * FACTOR, LONGEST_MS)
    this.#delayMs = next * (1 + JITTER * (2 * random - 1))
  }

  /** An attempt has succeeded. */
  reset(): void {
    this.#delayMs = FIRST_MS
    this.#until = Number.NEGATIVE_INFINITY
  }
}
