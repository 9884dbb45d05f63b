/** Something that ends when nothing happens for too long. */
export interface Expiring {
  /** In milliseconds of `performance.now()`; may change at any time. */
  readonly deadline: number
  /** Called once past the deadline, and removed then. */
  expire(): void
}

/** Precision of the time limits. */
const SWEEP_MS = 250

/** Checks the deadlines of everything that runs with one timer, which runs only while there is something to check. */
export class Deadlines {
  readonly #running = new Set<Expiring>()
  #timer: NodeJS.Timeout | undefined

  add(item: Expiring): void {
    this.#running.add(item)
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  remove(item: Expiring): void {
    this.#running.delete(item)
  }

  close(): void {
    this.#running.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const now = performance.now()
    for (const item of [...this.#running]) {
      if (item.deadline > now) continue
      this.#running.delete(item)
      item.expire()
    }
    if (this.#running.size === 0) this.close()
  }
}
