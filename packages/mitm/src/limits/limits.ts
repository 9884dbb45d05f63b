import { checkArgument } from '@svc/errors'

/** Limits of the proxy. */
export interface Limits {
  /** CONNECT requests in progress: tunnels and intercepted connections. @default 4096 */
  readonly connections: number
  /** For the CONNECT request of a client. @default 10000 */
  readonly askMs: number
  /** For the TLS handshake of a client. @default 10000 */
  readonly handshakeMs: number
  /** For name look-up, TCP and TLS to a host. @default 15000 */
  readonly connectMs: number
  /** For the headers of a request. @default 30000 */
  readonly headerMs: number
  /** A block of headers. @default 65536 */
  readonly headerBytes: number
  /** For the next bytes of a request's body. @default 60000 */
  readonly bodyMs: number
  /** For a scanned body as a whole. @default 300000 */
  readonly scannedBodyMs: number
  /** A scanned body, as it comes and decoded. @default 64 MiB */
  readonly scannedBodyBytes: number
  /** All bodies in memory. @default 512 MiB */
  readonly bufferedBytes: number
  /** For the verdict of the filter. @default 60000 */
  readonly filterMs: number
  /** For the headers of a reply. @default 600000 */
  readonly replyMs: number
  /** Without a byte: tunnels, replies, and intercepted connections without a request. @default 600000 */
  readonly idleMs: number
  /** Requests at a time on one HTTP/2 connection. @default 100 */
  readonly streams: number
}

export const DEFAULT_LIMITS: Limits = {
  connections: 4096,
  askMs: 10_000,
  handshakeMs: 10_000,
  connectMs: 15_000,
  headerMs: 30_000,
  headerBytes: 64 * 1024,
  bodyMs: 60_000,
  scannedBodyMs: 300_000,
  scannedBodyBytes: 64 * 1024 * 1024,
  bufferedBytes: 512 * 1024 * 1024,
  filterMs: 60_000,
  replyMs: 600_000,
  idleMs: 600_000,
  streams: 100,
}

/** {@link Limits} of which each may be left out. */
export type GivenLimits = { readonly [Name in keyof Limits]?: Limits[Name] | undefined }

/** The longest time of a timer. */
const MAX_MS = 2 ** 31 - 1

/** Fills in the defaults. @throws {SvcError} `invalid_argument` for a limit that would not limit */
export function resolveLimits(given: GivenLimits = {}): Limits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const limits: Limits = { ...DEFAULT_LIMITS, ...Object.fromEntries(set) }
  for (const [name, value] of Object.entries(limits)) {
    const most = name.endsWith('Ms') ? MAX_MS : Number.MAX_SAFE_INTEGER
    const isLimit = typeof value === 'number' && value >= 0 && value <= most
    checkArgument(isLimit, `startMitmProxy: limits.${name}`, `a number from 0 to ${most}`, value)
  }
  return limits
}
