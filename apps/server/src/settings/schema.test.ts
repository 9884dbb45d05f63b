import { describe, expect, it } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { OPTION_ROWS } from '../config/schema.ts'
import { effectiveSettings } from './effective.ts'
import { isSettingKey, optionOf, SETTING_KEYS, settingOf } from './schema.ts'

function defaults() {
  const command = loadConfig({ argv: [], env: {}, cwd: '/work' })
  if (command.kind !== 'run') throw new Error(command.kind)
  return effectiveSettings({ ...command, saved: new Map(), fileKeys: [] })
}

describe('the table of settings', () => {
  it('has every setting that an option is paired with', () => {
    const paired = OPTION_ROWS.flatMap(([, { setting }]) => (setting === undefined ? [] : [setting]))
    expect(paired.filter((key) => !isSettingKey(key))).toEqual([])
  })
  it('gives every setting a default of its own form', () => {
    const values = defaults()
    for (const key of SETTING_KEYS) {
      const found = values.get(key)
      expect(found?.source, key).toBe('default')
      expect(settingOf(key).kind.read(found?.value), key).toEqual(found?.value)
    }
  })
  it('takes the default from the paired option, where it has one', () => {
    for (const key of SETTING_KEYS) {
      const option = OPTION_ROWS.find(([name]) => name === optionOf(key))?.[1]
      expect(option?.default === undefined, key).toBe(settingOf(key).default !== undefined)
    }
  })
  it('masks a setting exactly where its option is a secret', () => {
    for (const key of SETTING_KEYS) {
      const option = OPTION_ROWS.find(([name]) => name === optionOf(key))?.[1]
      if (option !== undefined) expect(option.secret, key).toBe(settingOf(key).secret)
    }
  })
  it.each([
    ['watchdog_idle_timeout', '15m'],
    ['watchdog_busy_timeout', '5m'],
    ['watchdog_interval', '500ms'],
    ['memory_reclaimer_threshold', 0.95],
    ['lru_eviction_max_retries', 30],
    ['lru_eviction_retry_interval', '1s'],
    ['tracing_max_items', 1024],
    ['tracing_max_body_bytes', 65_536],
    ['enable_backend_logging', true],
    ['open_responses_store_ttl', '720h'],
    ['agent_pool_enabled', true],
    ['agent_pool_vector_engine', 'chromem'],
    ['localai_assistant_enabled', true],
    ['distributed_disk_headroom_check', true],
    ['csrf', true],
    ['api_keys', []],
    ['pii_default_detectors', []],
    ['mitm_listen', ''],
    ['context_size', -1],
  ] as const)('%s is %j by default', (key, value) => {
    expect(defaults().get(key)?.value).toEqual(value)
  })
})
