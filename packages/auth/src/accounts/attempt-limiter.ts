import { isIPv4, isIPv6 } from 'node:net'
import { checkArgument } from '@svc/errors'
import { AuthError } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import { normalizeEmail } from './email.ts'

/** Limit of failed attempts under a name in a minute. */
export interface AttemptBudget {
  /** Such as an address, an account, or both together. */
  readonly name: string
  /** 0 means no limit. */
  readonly perMinute: number
  /** Whether the budget does not hold for this attempt. Asked once, when the budget is used up. @default it holds */
  readonly isExempt?: ((options: CallOptions) => Promise<boolean>) | undefined
}

/** An attempt that is under way. */
export interface Attempt {
  /** Ends it; a failure counts for a minute. Further calls do nothing. */
  end(hasFailed: boolean): void
}

/** Limits how often attempts fail. */
export interface AttemptLimiter {
  /**
   * Begins an attempt under some names. An attempt that is under way could still fail, so this one waits while earlier
   * attempts could use a budget up.
   *
   * @throws {AuthError} `rate_limited` when a budget is used up
   */
  begin(budgets: readonly AttemptBudget[], options: CallOptions): Promise<Attempt>
}

/** Options of {@link createAttemptLimiter}. */
export interface AttemptLimiterOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Names that are remembered; the name that failed longest ago is forgotten first. @default 50000 */
  readonly maxNames?: number | undefined
  /** Attempts that wait for others. @default 1000 */
  readonly maxWaiting?: number | undefined
}

/** The attempts of a name. */
interface Tally {
  /** Times of the failures within the last minute, oldest first. */
  failures: readonly number[]
  running: number
}

const WINDOW_MS = 60_000
const MAX_NAMES = 50_000
const MAX_WAITING = 1000
const BUSY_MS = 1000

function tooMany(retryAfterMs: number): AuthError {
  return new AuthError('rate_limited', 'too many requests, please try again later', {
    code: 'too_many_attempts',
    retryAfterMs,
  })
}

/** The tallies of names; the name that failed longest ago is forgotten first. */
function createTallies(clock: Pick<Clock, 'monotonic'>, maxNames: number) {
  const tallies = new Map<string, Tally>()
  const read = (name: string): Tally => {
    const tally = tallies.get(name)
    if (tally === undefined) return { failures: [], running: 0 }
    const now = clock.monotonic()
    tally.failures = tally.failures.filter((time) => now - time < WINDOW_MS)
    return tally
  }
  function keep(name: string, tally: Tally): void {
    tallies.delete(name)
    if (tally.failures.length > 0 || tally.running > 0) tallies.set(name, tally)
    for (const oldest of tallies.keys()) {
      if (tallies.size <= maxNames) break
      tallies.delete(oldest)
    }
  }
  return {
    read,
    start(name: string): void {
      const tally = read(name)
      keep(name, { ...tally, running: tally.running + 1 })
    },
    end({ name, perMinute }: AttemptBudget, hasFailed: boolean): void {
      const { failures, running } = read(name)
      // exempt attempts go on above the budget, and more than it need not be known
      const counted = hasFailed ? [...failures, clock.monotonic()].slice(-perMinute) : failures
      keep(name, { failures: counted, running: Math.max(0, running - 1) })
    },
  }
}

/** A sliding window of a minute for each name. */
export function createAttemptLimiter(options: AttemptLimiterOptions): AttemptLimiter {
  const { clock, maxNames = MAX_NAMES, maxWaiting = MAX_WAITING } = options
  const tallies = createTallies(clock, maxNames)
  const waiting = new Set<() => void>()

  /** Time until a budget allows an attempt, milliseconds; `busy` while attempts that run could use the budget up. */
  function look({ name, perMinute }: AttemptBudget): number | 'busy' {
    const { failures, running } = tallies.read(name)
    if (failures.length + running < perMinute) return 0
    const oldest = failures[failures.length - perMinute]
    return oldest === undefined ? 'busy' : WINDOW_MS - (clock.monotonic() - oldest)
  }

  async function waitForEnd({ signal }: CallOptions): Promise<void> {
    if (waiting.size >= maxWaiting) throw tooMany(BUSY_MS)
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
    signal.throwIfAborted()
  }

  function start(budgets: readonly AttemptBudget[]): Attempt {
    for (const { name } of budgets) tallies.start(name)
    let hasEnded = false
    return {
      end(hasFailed) {
        if (hasEnded) return
        hasEnded = true
        for (const budget of budgets) tallies.end(budget, hasFailed)
        for (const wake of [...waiting]) wake()
      },
    }
  }

  /** Longest time until one of the budgets allows an attempt, milliseconds; 0 where all are only busy. */
  const longest = (budgets: readonly AttemptBudget[]): number =>
    Math.max(0, ...budgets.map(look).map((found) => (found === 'busy' ? 0 : found)))

  return {
    async begin(budgets, call) {
      for (const { perMinute } of budgets) {
        const isCount = Number.isSafeInteger(perMinute) && perMinute >= 0
        checkArgument(isCount, 'AttemptLimiter.begin: perMinute', 'a whole number, 0 or more', perMinute)
      }
      const limited = budgets.filter(({ perMinute }) => perMinute > 0)
      const verdicts = new Map<AttemptBudget, boolean>()
      for (;;) {
        call.signal.throwIfAborted()
        const full = limited.filter((budget) => verdicts.get(budget) !== true && look(budget) !== 0)
        if (full.length === 0) return start(limited)
        const [open, ...others] = full.filter((budget) => budget.isExempt !== undefined && !verdicts.has(budget))
        const waitMs = longest(full.filter((budget) => budget !== open && !others.includes(budget)))
        if (waitMs > 0) throw tooMany(waitMs)
        if (open === undefined) await waitForEnd(call)
        else verdicts.set(open, (await open.isExempt?.(call)) ?? false)
      }
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
 * The name of a client's address for a limiter: an IPv4 address, also when it is written as IPv6; of an IPv6 address
 * its network of 64 bits, since a client has all of that.
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
  return `account:${normalizeEmail(email.slice(0, 1024)).slice(0, 320)}`
}
