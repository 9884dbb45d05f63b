/** Bytes that may be held together. */
export interface ByteBudget {
  /** Takes bytes; false, and nothing is taken, where they are not left. */
  take(bytes: number): boolean
  /** Gives back what was taken. */
  give(bytes: number): void
  /** Bytes taken at this moment. */
  readonly takenBytes: number
}

/** A budget of which nothing is taken. */
export function createByteBudget(totalBytes: number): ByteBudget {
  let takenBytes = 0
  return {
    get takenBytes() {
      return takenBytes
    },
    take(bytes) {
      if (takenBytes + bytes > totalBytes) return false
      takenBytes += bytes
      return true
    },
    give(bytes) {
      takenBytes -= bytes
    },
  }
}
