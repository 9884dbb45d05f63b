import { describe, expect, it } from 'vitest'
import { readOption } from './option.ts'
import { OPTIONS, SETTINGS } from './schema.ts'

const duplicates = (names: readonly (string | undefined)[]): string[] => {
  const present = names.filter((name) => name !== undefined)
  return present.filter((name, index) => present.indexOf(name) !== index)
}

describe('the table of options', () => {
  it('declares each flag, variable and setting once', () => {
    expect(duplicates(OPTIONS.map(({ key }) => key))).toEqual([])
    expect(duplicates(OPTIONS.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]))).toEqual([])
    expect(duplicates(OPTIONS.flatMap(({ env = [] }) => env))).toEqual([])
    expect(duplicates(SETTINGS.map(({ key }) => key))).toEqual([])
    expect(duplicates(OPTIONS.map(({ setting }) => setting))).toEqual([])
    expect(duplicates(OPTIONS.map(({ short }) => short))).toEqual([])
  })
  it('gives every option a name of the house form', () => {
    for (const { key, flag, env = [] } of OPTIONS) {
      expect(flag !== undefined || env.length > 0, key).toBe(true)
      if (flag !== undefined) expect(flag).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      for (const name of env)
        expect(name).toMatch(
          /^(SVC_[A-Z0-9_]+|CODEHOST_[A-Z_]+|HF_[A-Z]+|DATABASE_URL|(HTTPS?|NO)_PROXY|(https?|no)_proxy)$/,
        )
    }
  })
  it('gives every option a default of its own form', () => {
    for (const option of OPTIONS) {
      if (option.default !== undefined)
        expect(readOption(option, undefined, { cwd: '/' }), option.key).not.toBeUndefined()
    }
  })
  it('has no flag that reads like the negation of another', () => {
    const switches = OPTIONS.filter(({ shape }) => shape === 'switch').map(({ flag }) => `no-${flag}`)
    expect(OPTIONS.filter(({ flag }) => flag !== undefined && switches.includes(flag))).toEqual([])
  })
  it.each([
    'address',
    'models-path',
    'backends-path',
    'data-path',
    'config-dir',
    'log-level',
    'disable-webui',
    'disable-runtime-settings',
    'disable-predownload-scan',
    'use-subtle-key-comparison',
    'opaque-errors',
    'machine-tag',
    'f16',
    'threads',
    'p2p',
    'p2p-dht-interval',
    'p2p-otp-interval',
    'p2p-network-id',
    'federated',
    'max-concurrent-backend-requests',
    'upload-limit',
    'http-compression-min-length',
    'disable-http-compression',
    'artifact-download-concurrency',
    'model-load-failure-cooldown',
    'context-size',
    'pprof',
    'mitm-listen',
    'mitm-ca-dir',
    'auth-database-url',
    'disable-local-auth',
    'backend-install-timeout',
  ])('knows --%s of the specification', (flag) => {
    expect(OPTIONS.some((option) => option.flag === flag)).toBe(true)
  })
})
