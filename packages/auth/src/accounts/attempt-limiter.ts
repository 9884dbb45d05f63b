import { isIPv4, isIPv6 } from 'node:net'
import { checkArgument } from '@svc/errors'
import type { Clock } from '../ports/clock.ts'

/** Limits how often something is tried. */
export interface AttemptLimiter {
  /**
   * Counts an attempt under each of some names, such as an address and an account.
   *
   * @returns 0 when it may go on, else how long to wait, milliseconds. A refused attempt is not counted
   */
  take(names: readonly string[]): number
}

/** What {@link createAttemptLimiter} needs. */
export interface AttemptLimiterOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Attempts of one name in a minute; 0 means no limit. */
  readonly perMinute: number
  /** Names that are remembered; the one that tried longest ago gives way. @default 50000 */
  readonly maxNames?: number | undefined
}

const WINDOW_MS = 60_000
const MAX_NAMES = 50_000

/** A sliding window of a minute for each name. */
export function createAttemptLimiter(options: AttemptLimiterOptions): AttemptLimiter {
  const { clock, perMinute, maxNames = MAX_NAMES } = options
  const isCount = Number.isSafeInteger(perMinute) && perMinute >= 0
  checkArgument(isCount, 'createAttemptLimiter: perMinute', 'a whole number, 0 or more', perMinute)
  /** Times of the attempts of a name within the last minute, oldest first. */
  const attempts = new Map<string, readonly number[]>()
  const readRecent = (name: string, now: number): readonly number[] =>
    (attempts.get(name) ?? []).filter((time) => now - time < WINDOW_MS)
  return {
    take(names) {
      if (perMinute <= 0) return 0
      const now = clock.monotonic()
      const distinct = [...new Set(names)]
      const waits = distinct.map((name) => {
        const recent = readRecent(name, now)
        return recent.length < perMinute ? 0 : WINDOW_MS - (now - (recent[recent.length - perMinute] ?? now))
      })
      const wait = Math.max(0, ...waits)
      if (wait > 0) return wait
      for (const name of distinct) {
        const recent = readRecent(name, now)
        attempts.delete(name)
        attempts.set(name, [...recent, now])
      }
      for (const oldest of attempts.keys()) {
        if (attempts.size <= maxNames) break
        attempts.delete(oldest)
      }
      return 0
    },
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The eight groups of an IPv6 address. */
function expand(address: string): readonly number[] {
  const [head = '', tail] = address.split('::')
  const toGroups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [left, right] = [toGroups(head), toGroups(tail ?? '')]
  const gap = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array.from({ length: Math.max(0, gap) }, () => 0), ...right]
}

/**
 * The name of a client's address for a limiter: an IPv4 address, also when it is written as IPv6; of an IPv6 address its
 * network of 64 bits, since a client has all of that.
 */
export function nameAddress(address: string): string {
  const plain = (address.split('%')[0] ?? '').replace(/^\[|\]$/g, '')
  const mapped = MAPPED.exec(plain)?.[1]
  if (mapped !== undefined && isIPv4(mapped)) return `address:${mapped}`
  if (isIPv4(plain)) return `address:${plain}`
  if (!isIPv6(plain) || plain.includes('.')) return `address:${plain}`
  const groups = expand(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
    return `address:${bytes.join('.')}`
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `address:${network.join(':')}::/64`
}

/** The name of an account for a limiter. */
export function nameAccount(email: string): string {
  return `account:${email.trim().toLowerCase().slice(0, 320)}`
}
