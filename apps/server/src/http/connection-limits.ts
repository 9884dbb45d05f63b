import { READ_STALL_MS } from './reply-writer.ts'

/** Time limits of connections, milliseconds (threats IN-11, REL-3). */
export interface ConnectionLimits {
  /** Until the head of a request is complete. @default 30000 */
  readonly headersMs: number
  /** Until a request is complete. @default 300000 */
  readonly requestMs: number
  /** Between two requests. @default 120000 */
  readonly keepAliveMs: number
  /** While the client takes nothing of a complete reply. @default 60000 */
  readonly unreadMs: number
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  headersMs: 30_000,
  requestMs: 300_000,
  keepAliveMs: 120_000,
  unreadMs: READ_STALL_MS,
}
