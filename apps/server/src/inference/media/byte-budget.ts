/** A limit on bytes that are held at the same time. */
export interface ByteBudget {
  /** Takes bytes. Returns false and takes nothing when too few are left. */
  take(bytes: number): boolean
  /** Gives taken bytes back. */
  give(bytes: number): void
  /** Bytes taken at this moment. */
  readonly takenBytes: number
}

/** Creates a budget without taken bytes. */
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
