import { READ_STALL_MS } from './reply-writer.ts'

/** Time limits of connections, milliseconds (threats IN-11, REL-3). */
export interface ConnectionLimits {
  /** Time until the head of a request is complete, milliseconds. @default 30000 */
  readonly headersMs: number
  /** Time until a request is complete, milliseconds. @default 300000 */
  readonly requestMs: number
  /** Time between two requests, milliseconds. @default 120000 */
  readonly keepAliveMs: number
  /** Time that a client may take nothing of a complete reply, milliseconds. @default 60000 */
  readonly unreadMs: number
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  headersMs: 30_000,
  requestMs: 300_000,
  keepAliveMs: 120_000,
  unreadMs: READ_STALL_MS,
}
