import { parseDuration } from '../config/quantities.ts'
import type { Settings } from '../settings/settings.ts'
import type { EvictionPolicy } from './eviction-plan.ts'
import type { WatchdogPolicy } from './watchdog.ts'

type Values = Pick<Settings, 'get'>

/** Maximum delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1

const milliseconds = (text: string): number => Math.min(LONGEST_MS, parseDuration(text) ?? 0)

/** Reads the eviction policy from the current settings. */
export function readEvictionPolicy(settings: Values): EvictionPolicy {
  const retryIntervalMs = milliseconds(settings.get('lru_eviction_retry_interval'))
  return {
    maxActive: settings.get('single_backend') ? 1 : settings.get('max_active_backends'),
    forceWhenBusy: settings.get('force_eviction_when_busy'),
    largestFirst: settings.get('size_aware_eviction'),
    patienceMs: Math.min(LONGEST_MS, settings.get('lru_eviction_max_retries') * retryIntervalMs),
    retryIntervalMs,
  }
}

/** Reads the watchdog policy from the current settings; a timeout of 0 is off. */
export function readWatchdogPolicy(settings: Values): WatchdogPolicy {
  const timeout = (isOn: boolean, text: string) => (isOn ? milliseconds(text) || undefined : undefined)
  const both = settings.get('watchdog_enabled')
  return {
    intervalMs: milliseconds(settings.get('watchdog_interval')),
    busyTimeoutMs: timeout(both || settings.get('watchdog_busy_enabled'), settings.get('watchdog_busy_timeout')),
    idleTimeoutMs: timeout(both || settings.get('watchdog_idle_enabled'), settings.get('watchdog_idle_timeout')),
    memoryThreshold: readMemoryThreshold(settings),
  }
}

/** A budget of graphics memory unloads models above the whole of it, also without the reclaimer. */
function readMemoryThreshold(settings: Values): number | undefined {
  if (settings.get('memory_reclaimer_enabled')) return settings.get('memory_reclaimer_threshold')
  return settings.get('vram_budget') === '' ? undefined : 1
}
