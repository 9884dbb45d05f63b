/** How long a connection may stay as it is, milliseconds. Nothing limits how long a server takes for a reply. */
export interface ReaderLimits {
  /** Until the first request of a connection. @default 30000 */
  readonly unusedMs: number
  /** Between two requests. @default 120000 */
  readonly idleMs: number
  /** From the head of a request to the end of its body. @default 300000 */
  readonly bodyMs: number
  /** While the client takes nothing of a reply that is complete. @default 60000 */
  readonly unreadMs: number
}

/** The default of {@link ReaderLimits.unreadMs}. */
export const UNREAD_MS = 60_000

export const DEFAULT_LIMITS: ReaderLimits = {
  unusedMs: 30_000,
  idleMs: 120_000,
  bodyMs: 300_000,
  unreadMs: UNREAD_MS,
}

/** Most bytes that are read ahead while a reply is awaited. */
export const MAX_AHEAD_BYTES = 65_536
