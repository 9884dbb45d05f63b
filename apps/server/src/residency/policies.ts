import { parseDuration } from '../config/quantities.ts'
import type { Settings } from '../settings/settings.ts'
import type { EvictionPolicy } from './eviction-plan.ts'
import type { WatchdogPolicy } from './watchdog.ts'

type Values = Pick<Settings, 'get'>

/** Timers hold no more. */
const LONGEST_MS = 2 ** 31 - 1

const milliseconds = (text: string): number => Math.min(LONGEST_MS, parseDuration(text) ?? 0)

/** What the settings say about eviction at this moment. */
export function evictionPolicy(settings: Values): EvictionPolicy {
  const retryIntervalMs = milliseconds(settings.get('lru_eviction_retry_interval'))
  return {
    maxActive: settings.get('single_backend') ? 1 : settings.get('max_active_backends'),
    forceWhenBusy: settings.get('force_eviction_when_busy'),
    largestFirst: settings.get('size_aware_eviction'),
    patienceMs: Math.min(LONGEST_MS, settings.get('lru_eviction_max_retries') * retryIntervalMs),
    retryIntervalMs,
  }
}

/** What the settings say the watchdog is to do at this moment; a timeout of 0 watches for nothing. */
export function watchdogPolicy(settings: Values): WatchdogPolicy {
  const timeout = (isOn: boolean, text: string) => (isOn ? milliseconds(text) || undefined : undefined)
  return {
    intervalMs: milliseconds(settings.get('watchdog_interval')),
    busyTimeoutMs: timeout(settings.get('watchdog_busy_enabled'), settings.get('watchdog_busy_timeout')),
    idleTimeoutMs: timeout(settings.get('watchdog_idle_enabled'), settings.get('watchdog_idle_timeout')),
    memoryThreshold: settings.get('memory_reclaimer_enabled') ? settings.get('memory_reclaimer_threshold') : undefined,
  }
}
