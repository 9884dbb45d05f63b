import { budget } from '../memory-budget.ts'
import { defineSection, option, setting } from '../option.ts'
import { wait } from '../quantities.ts'
import { budgetText, durationText, onOff, share, wholeCount } from '../setting-kind.ts'
import { count, decimal, toggle } from '../text-kind.ts'

export const residency = defineSection({
  heading: 'Memory and eviction',
  options: {
    singleActiveBackend: option(toggle, {
      flag: 'single-active-backend',
      env: ['SVC_SINGLE_ACTIVE_BACKEND'],
      default: 'false',
      about: 'the older way to write --max-active-backends 1',
      setting: { single_backend: setting(onOff) },
    }),
    maxActiveBackends: option(count, {
      flag: 'max-active-backends',
      env: ['SVC_MAX_ACTIVE_BACKENDS'],
      default: '0',
      about: 'models loaded at a time; 0 = no limit',
      setting: { max_active_backends: setting(wholeCount) },
    }),
    watchdogIdle: option(toggle, {
      flag: 'enable-watchdog-idle',
      env: ['SVC_WATCHDOG_IDLE'],
      default: 'false',
      about: 'unload models that nobody uses',
      setting: { watchdog_idle_enabled: setting(onOff) },
    }),
    watchdogIdleTimeoutMs: option(wait, {
      flag: 'watchdog-idle-timeout',
      env: ['SVC_WATCHDOG_IDLE_TIMEOUT'],
      default: '15m',
      about: 'after this long',
      setting: {
        watchdog_idle_timeout: setting(durationText, { about: 'unload a model that nobody uses for this long' }),
      },
    }),
    watchdogBusy: option(toggle, {
      flag: 'enable-watchdog-busy',
      env: ['SVC_WATCHDOG_BUSY'],
      default: 'false',
      about: 'stop backends whose oldest call takes too long',
      setting: { watchdog_busy_enabled: setting(onOff) },
    }),
    watchdogBusyTimeoutMs: option(wait, {
      flag: 'watchdog-busy-timeout',
      env: ['SVC_WATCHDOG_BUSY_TIMEOUT'],
      default: '5m',
      about: 'after this long',
      setting: {
        watchdog_busy_timeout: setting(durationText, { about: 'stop a backend whose oldest call takes this long' }),
      },
    }),
    watchdogIntervalMs: option(wait, {
      flag: 'watchdog-interval',
      env: ['SVC_WATCHDOG_INTERVAL'],
      default: '500ms',
      about: 'how often the watchdogs look',
      setting: { watchdog_interval: setting(durationText) },
    }),
    memoryReclaimer: option(toggle, {
      flag: 'enable-memory-reclaimer',
      env: ['SVC_MEMORY_RECLAIMER'],
      default: 'false',
      about: 'unload models when memory runs short',
      setting: { memory_reclaimer_enabled: setting(onOff) },
    }),
    memoryReclaimerThreshold: option(decimal({ min: 0.01, max: 1 }), {
      flag: 'memory-reclaimer-threshold',
      env: ['SVC_MEMORY_RECLAIMER_THRESHOLD'],
      default: '0.95',
      about: 'above this share of memory in use',
      setting: {
        memory_reclaimer_threshold: setting(share, { about: 'unload models above this share of memory in use' }),
      },
    }),
    vramBudget: option(budget, {
      flag: 'vram-budget',
      env: ['SVC_VRAM_BUDGET'],
      default: '',
      about: 'graphics memory that models may take: a share such as 80%, or 12GB of all devices; empty = all',
      setting: { vram_budget: setting(budgetText) },
    }),
    forceEvictionWhenBusy: option(toggle, {
      flag: 'force-eviction-when-busy',
      env: ['SVC_FORCE_EVICTION_WHEN_BUSY'],
      default: 'false',
      about: 'unload even models that are at work',
      setting: { force_eviction_when_busy: setting(onOff) },
    }),
    sizeAwareEviction: option(toggle, {
      flag: 'size-aware-eviction',
      env: ['SVC_SIZE_AWARE_EVICTION'],
      default: 'false',
      about: 'unload the largest model first',
      setting: { size_aware_eviction: setting(onOff) },
    }),
    lruEvictionMaxRetries: option(count, {
      flag: 'lru-eviction-max-retries',
      env: ['SVC_LRU_EVICTION_MAX_RETRIES'],
      default: '30',
      about: 'how often a load asks again for room',
      setting: { lru_eviction_max_retries: setting(wholeCount) },
    }),
    lruEvictionRetryIntervalMs: option(wait, {
      flag: 'lru-eviction-retry-interval',
      env: ['SVC_LRU_EVICTION_RETRY_INTERVAL'],
      default: '1s',
      about: 'and how long it waits in between',
      setting: {
        lru_eviction_retry_interval: setting(durationText, {
          about: 'how long a load waits before it asks again for room',
        }),
      },
    }),
    forceBackendShutdown: option(toggle, {
      env: ['SVC_FORCE_BACKEND_SHUTDOWN'],
      default: 'false',
      about: 'end calls that still run 30s after their model was told to stop',
    }),
  },
  settings: {
    watchdog_enabled: setting(onOff, {
      default: false,
      about: 'run both watchdogs, whatever their own switches say',
    }),
  },
})
