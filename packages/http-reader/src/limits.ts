/** Times that a connection may stay in a state, milliseconds. Nothing limits the time of a server for a reply. */
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

const DEFAULT_LIMITS: ReaderLimits = {
  unusedMs: 30_000,
  idleMs: 120_000,
  bodyMs: 300_000,
  unreadMs: UNREAD_MS,
}

/** Most bytes that are read ahead while a reply is awaited. */
export const MAX_AHEAD_BYTES = 65_536

/** {@link ReaderLimits} of which each may be left out. */
export type GivenLimits = { readonly [Name in keyof ReaderLimits]?: ReaderLimits[Name] | undefined }

/** The longest time of a timer. */
const MAX_MS = 2 ** 31 - 1

/** @throws {RangeError} for a time limit that no timer can keep */
export function checkLimit(ms: number, name: string): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= MAX_MS) return
  throw new RangeError(`${name} must be a number from 0 to ${MAX_MS}`)
}

/**
 * Fills in the defaults.
 *
 * @throws {RangeError} for a time limit that no timer can keep
 */
export function resolveLimits(given: GivenLimits = {}): ReaderLimits {
  const {
    unusedMs = DEFAULT_LIMITS.unusedMs,
    idleMs = DEFAULT_LIMITS.idleMs,
    bodyMs = DEFAULT_LIMITS.bodyMs,
    unreadMs = DEFAULT_LIMITS.unreadMs,
  } = given
  const limits = { unusedMs, idleMs, bodyMs, unreadMs }
  for (const [name, ms] of Object.entries(limits)) checkLimit(ms, `createRequestReader: limits.${name}`)
  return limits
}
