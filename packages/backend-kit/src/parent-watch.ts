/** Options of {@link watchParent}. */
export interface ParentWatchSettings {
  readonly enabled: boolean
  readonly intervalMs: number
  /** The process that started this one, if given; distinguishes a parent that died early from process 1. */
  readonly starterPid?: number | undefined
}

const DEFAULT_INTERVAL_MS = 2000
/** The longest delay of Node's timers; they treat a longer one as no delay. */
const MAX_INTERVAL_MS = 2 ** 31 - 1
const OFF = new Set(['false', '0', 'no', 'off'])
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/**
 * Reads `LOCALAI_BACKEND_PARENT_WATCH` (on unless false, 0, no or off), `LOCALAI_BACKEND_PARENT_WATCH_INTERVAL` (such
 * as `500ms`, `2s`, `1m30s`; 2 s when absent or unreadable), and `SVC_BACKEND_STARTER_PID`, which our own server sets.
 */
export function readParentWatch(env: Readonly<Record<string, string | undefined>>): ParentWatchSettings {
  return {
    enabled: !OFF.has((env.LOCALAI_BACKEND_PARENT_WATCH ?? '').trim().toLowerCase()),
    intervalMs: parseDuration(env.LOCALAI_BACKEND_PARENT_WATCH_INTERVAL) ?? DEFAULT_INTERVAL_MS,
    starterPid: Number(env.SVC_BACKEND_STARTER_PID) || undefined,
  }
}

function parseDuration(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? ''
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(trimmed)) return undefined
  let total = 0
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  }
  return total > 0 ? Math.min(total, MAX_INTERVAL_MS) : undefined
}

/**
 * Calls back once when the parent of this process is gone, which shows as another parent id. When the parent is process
 * 1 from the start, it is the entry point of a container, which ends as a whole: there is nothing to watch. A known
 * starter other than process 1 is then gone already.
 *
 * @returns a function that ends the watch
 */
export function watchParent(
  { intervalMs, starterPid }: Pick<ParentWatchSettings, 'intervalMs' | 'starterPid'>,
  onGone: () => void,
): () => void {
  const parent = process.ppid
  // A killed starter may stay in the process table for a while, but its children have a new parent.
  if (starterPid !== undefined && (!isAlive(starterPid) || (parent === 1 && starterPid !== 1))) onGone()
  if (parent === 1) return () => {}
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
