/** Counts the bytes that a session holds, with those of all other sessions. */
export interface SessionMemory {
  /** @returns false, and counts nothing, where there is no room */
  add(bytes: number): boolean
  /** Gives bytes back; no more than are counted. */
  subtract(bytes: number): void
}
