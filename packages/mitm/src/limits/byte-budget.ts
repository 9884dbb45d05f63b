import { bufferFull } from '../errors.ts'

/** The bytes that all bodies in memory may take together. */
export class ByteBudget {
  readonly #limit: number
  #used = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /** Opens an account whose bytes are given back together. */
  open(): BudgetAccount {
    let taken = 0
    return {
      take: (bytes) => {
        if (this.#used + bytes > this.#limit) throw bufferFull()
        this.#used += bytes
        taken += bytes
      },
      release: () => {
        this.#used -= taken
        taken = 0
      },
    }
  }
}

/** The bytes of one request. */
export interface BudgetAccount {
  /** @throws {SvcError} `mitm_buffer_full`, kind `unavailable` */
  take(bytes: number): void
  /** Gives everything back; may be called again. */
  release(): void
}
