import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { loadConfig } from '../config/load.ts'
import { OPTIONS } from '../config/schema.ts'
import { settingsBody } from './body.ts'
import { effectiveSettings } from './effective.ts'
import { findPairedOption, findSetting, isSettingKey, readSetting, SETTING_KEYS } from './schema.ts'

function defaults() {
  const command = loadConfig({ argv: [], env: {}, cwd: '/work' })
  if (command.kind !== 'run') throw new Error(command.kind)
  return effectiveSettings({ ...command, saved: new Map(), fileKeys: [] })
}

describe('the table of settings', () => {
  it('has every setting that an option is paired with', () => {
    const paired = OPTIONS.flatMap(({ setting }) => (setting === undefined ? [] : [setting]))
    expect(paired.filter((key) => !isSettingKey(key))).toEqual([])
  })
  it('gives every setting a default of its own form', () => {
    const values = defaults()
    for (const key of SETTING_KEYS) {
      const found = values.get(key)
      expect(found?.source, key).toBe('default')
      expect(readSetting(findSetting(key), found?.value), key).toEqual(found?.value)
    }
  })
  it('takes the default from the paired option, where it has one', () => {
    for (const key of SETTING_KEYS) {
      const option = OPTIONS.find((each) => each.key === findPairedOption(key))
      expect(option?.default === undefined, key).toBe(findSetting(key).default !== undefined)
    }
  })
  it('masks a setting exactly where its option is a secret', () => {
    for (const key of SETTING_KEYS) {
      const option = OPTIONS.find((each) => each.key === findPairedOption(key))
      if (option !== undefined) expect(option.secret, key).toBe(findSetting(key).secret)
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

describe('the body of /api/settings', () => {
  it('is any subset, unknown keys included', () => {
    const body = { api_keys: ['a'], memory_reclaimer_threshold: 1, of_a_later_version: {} }
    expect(settingsBody.parse(body)).toEqual(body)
  })
  it.each([{ memory_reclaimer_threshold: 0 }, { api_keys: 'a' }, { watchdog_interval: 'often' }])(
    'is not %j',
    (body) => {
      expect(settingsBody.safeParse(body).error?.issues[0]?.path[0]).toBe(Object.keys(body)[0])
    },
  )
  it('says of every key what it does', () => {
    const { properties = {} } = z.toJSONSchema(settingsBody, { io: 'input' })
    for (const key of SETTING_KEYS)
      expect(properties[key], key).toMatchObject({ description: expect.stringMatching(/[a-z]{3}/) })
    expect(properties.threads).toMatchObject({
      type: 'integer',
      minimum: 0,
      maximum: 4096,
      description: 'threads of a model that names none itself',
    })
    expect(properties.agent_pool_collection_db_path).toMatchObject({
      description: expect.stringMatching(/^file of the collections; only the present value can be set: cannot be had/),
    })
  })
})
