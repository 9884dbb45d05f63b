import { Cron } from 'croner'
import i18next from 'i18next'

/** The coming runs of a schedule, or the reason why it has none. */
export type Runs = { readonly runs: readonly Date[] } | { readonly problem: 'pattern' | 'zone' | 'never' }

/**
 * Finds the coming runs of a schedule, by the rules of the server.
 *
 * @param cron five fields, or a name such as `@daily`
 * @param zone IANA name of a time zone
 */
export function findRuns(cron: string, zone: string, { count = 4, after = new Date() } = {}): Runs {
  if (!isZone(zone)) return { problem: 'zone' }
  try {
    const runs = new Cron(cron.trim(), { timezone: zone, paused: true, mode: '5-part' }).nextRuns(count, after)
    return runs.length === 0 ? { problem: 'never' } : { runs }
  } catch {
    return { problem: 'pattern' }
  }
}

/** The time zone of this browser. */
export function findOwnZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** A run with its weekday, in the time zone of its schedule. */
export function formatRun(run: Date, zone: string): string {
  return new Intl.DateTimeFormat(i18next.language, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  }).format(run)
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone !== ''
  } catch {
    return false
  }
}
