import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { createBus } from '../bus/create-bus.ts'
import type { SettingsChange } from '../bus/subjects.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load.ts'
import { StartRefused } from '../config/start-refused.ts'
import { formatToken } from '../p2p/token.ts'
import type { LogFields, Logger } from '../ports.ts'
import { SETTING_KEYS } from './schema.ts'
import { maskSecret } from './secret-mask.ts'
import { createSettings, type Settings } from './settings.ts'
import { createSettingsFolder } from './settings-files.ts'

const TOKEN_FORM = 'a token of a peer-to-peer network'
const TOKEN = formatToken({ key: 'ab'.repeat(32), peers: [] })

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: LogFields
}

function listLogger(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const log = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields })
  }
  return { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

interface World {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly logger?: Logger
  readonly bus?: Bus
}

async function open(dir: TempDir, options: World = {}): Promise<Settings> {
  const { argv = [], env = {}, logger = listLogger(), bus = createBus({ logger }) } = options
  const command = loadConfig({ argv, env, cwd: dir.path })
  if (command.kind !== 'run') throw new Error(JSON.stringify(command))
  const { config, sources } = command
  const pollIntervalMs = config.configDirPollIntervalMs
  const files = createSettingsFolder({ folder: config.configDir, pollIntervalMs, clock: systemClock, logger })
  return createSettings({ config, sources, files, bus, logger })
}

const file = (dir: TempDir, name: string): string => dir.join('configuration', name)

async function put(dir: TempDir, name: string, content: unknown): Promise<void> {
  await mkdir(dir.join('configuration'), { recursive: true })
  await writeFile(file(dir, name), typeof content === 'string' ? content : JSON.stringify(content))
}

async function saved(dir: TempDir): Promise<unknown> {
  return JSON.parse(await readFile(file(dir, 'runtime_settings.json'), 'utf8'))
}

const nextChange = (bus: Bus): Promise<ReadonlySet<SettingsChange>> =>
  new Promise((resolve) => {
    const stop = bus.subscribe('settings.changed', ({ keys }) => {
      stop()
      resolve(new Set(keys))
    })
  })

async function refusal(promise: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!SvcError.is(error)) throw new Error(`not refused: ${String(error)}`)
  return error
}

describe('what counts', () => {
  // verifies flags:precedence:order
  it('is the flag, then the variable, then the saved value, then the default', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { threads: 3, f16: true, context_size: 4096, debug: true })
    await using settings = await open(dir, { argv: ['-t', '5', '--no-f16'], env: { SVC_CONTEXT_SIZE: '2048' } })
    const found = settings.snapshot()
    expect(found.get('threads')).toEqual({ value: 5, source: 'flag', isShadowing: true })
    expect(found.get('f16')).toEqual({ value: false, source: 'flag', isShadowing: true })
    expect(found.get('context_size')).toEqual({ value: 2048, source: 'env', isShadowing: true })
    expect(found.get('debug')).toEqual({ value: true, source: 'file' })
    expect(found.get('cors')).toEqual({ value: false, source: 'default' })
    expect(settings.get('threads')).toBe(5)
  })
  it('is the saved value first for a few', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { tracing_max_body_bytes: 10 })
    await using settings = await open(dir, { env: { SVC_TRACING_MAX_BODY_BYTES: '65536' } })
    expect(settings.snapshot().get('tracing_max_body_bytes')).toEqual({ value: 10, source: 'file' })
    await settings.update({ tracing_max_body_bytes: null })
    expect(settings.snapshot().get('tracing_max_body_bytes')).toEqual({ value: 65_536, source: 'env' })
  })
  it('is described with every key', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    expect(Object.keys(settings.describe())).toEqual(SETTING_KEYS)
    expect(settings.describe()).toMatchObject({ threads: 0, api_keys: [], watchdog_idle_timeout: '15m', galleries: [] })
  })
})

describe('an update', () => {
  it('is saved with mode 0600, counts at once and is told', async () => {
    await using dir = await tempDir()
    const bus = createBus({ logger: listLogger() })
    await using settings = await open(dir, { bus })
    const told = nextChange(bus)
    const changed = await settings.update({ threads: 4, watchdog_idle_timeout: '20m' })
    expect(changed).toEqual(new Set(['threads', 'watchdog_idle_timeout']))
    expect(await told).toEqual(changed)
    expect(settings.get('threads')).toBe(4)
    expect(await saved(dir)).toEqual({ threads: 4, watchdog_idle_timeout: '20m' })
    expect((await stat(file(dir, 'runtime_settings.json'))).mode & 0o777).toBe(0o600)
    await using again = await open(dir)
    expect(again.get('threads')).toBe(4)
  })
  it('keeps what it does not name, unknown keys included, and null takes away', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { threads: 3, of_a_later_version: { a: [1] }, debug: true })
    await using settings = await open(dir)
    await settings.update({ f16: true, debug: null })
    expect(await saved(dir)).toEqual({ threads: 3, of_a_later_version: { a: [1] }, f16: true })
  })
  it('of a value that a flag overrides is saved and changes nothing now', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir, { argv: ['-t', '5'] })
    expect(await settings.update({ threads: 9 })).toEqual(new Set())
    expect(settings.get('threads')).toBe(5)
    expect(await saved(dir)).toEqual({ threads: 9 })
  })
  it('changes nothing when any of it is wrong', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    const error = await refusal(settings.update({ threads: 4, watchdog_interval: 'often' }))
    expect([error.kind, error.message]).toEqual([
      'invalid_request',
      'Invalid watchdog_interval format: it is not a duration such as 10s, 500ms or 1h30m',
    ])
    expect(settings.get('threads')).toBe(0)
    expect(await readdir(dir.join('configuration'))).toEqual([])
  })
  it.each([
    [[], 'Failed to parse JSON: not an object of settings'],
    ['text', 'Failed to parse JSON: not an object of settings'],
    [{ thread: 4 }, 'unknown setting thread (did you mean threads?)'],
    [{ threads: '4' }, 'Invalid threads format: it is not a whole number from 0 to 4096'],
    [{ api_keys: [''] }, 'Invalid api_keys format: it is not a list of texts that are not empty'],
    [{ p2p_token: 'hush' }, `Invalid p2p_token format: it is not ${TOKEN_FORM}`],
    [
      { agent_pool_collection_db_path: 'x' },
      'agent_pool_collection_db_path cannot be had: collections are in the database of the server',
    ],
    [{ logo_file: 'x.png' }, 'logo_file is set through the branding routes'],
  ])('refuses %j', async (patch, message) => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    expect((await refusal(settings.update(patch))).message).toBe(message)
  })
  it('takes back everything that was described', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', {
      api_keys: ['svc-saved'],
      p2p_token: TOKEN,
      logo_file: 'logo.png',
      threads: 3,
    })
    await using settings = await open(dir, { env: { SVC_API_KEY: 'svc-env' } })
    const before = settings.describe()
    expect(await settings.update(before)).toEqual(new Set())
    expect(settings.describe()).toEqual(before)
    expect(await saved(dir)).toMatchObject({ api_keys: ['svc-saved'], p2p_token: TOKEN, logo_file: 'logo.png' })
  })
  it('of many at a time loses none', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    const patches = [
      { threads: 2 },
      { f16: true },
      { debug: true },
      { cors: true },
      { watchdog_interval: '5s' },
      { threads: 7 },
    ]
    await Promise.all(patches.map((patch) => settings.update(patch)))
    expect(await saved(dir)).toEqual({ threads: 7, f16: true, debug: true, cors: true, watchdog_interval: '5s' })
  })
  it('joins what a person wrote into the file a moment before', async () => {
    await using dir = await tempDir()
    const bus = createBus({ logger: listLogger() })
    await using settings = await open(dir, { bus })
    const changes: SettingsChange[] = []
    bus.subscribe('settings.changed', ({ keys }) => changes.push(...keys))
    await put(dir, 'runtime_settings.json', { f16: true })
    // The watch of the file may be faster than the change.
    await settings.update({ threads: 2 })
    expect(new Set(changes)).toEqual(new Set(['f16', 'threads']))
    expect(await saved(dir)).toEqual({ f16: true, threads: 2 })
  })
  it('is refused while runtime settings are disabled, and the file is not read', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', '{broken')
    await using settings = await open(dir, { argv: ['--disable-runtime-settings'] })
    expect((await refusal(settings.update({ threads: 2 }))).code).toBe('runtime_settings_disabled')
    expect(settings.problems()).toEqual([])
    expect(await readFile(file(dir, 'runtime_settings.json'), 'utf8')).toBe('{broken')
  })
  it('that cannot be written changes nothing', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    await rm(dir.join('configuration'), { recursive: true })
    await writeFile(dir.join('configuration'), 'in the way')
    expect(SvcError.is(await settings.update({ threads: 2 }).catch((error: unknown) => error))).toBe(true)
    expect(settings.get('threads')).toBe(0)
  })
})

// verifies settings:secrets:masks
describe('the mask of a secret that is sent back', () => {
  const GIVEN = 'http://user:canary-given@proxy.example:1'
  const SAVED = 'http://user:canary-saved@proxy.example:2'
  const NEW = 'http://proxy.example:3'
  it.each([
    ['of a variable', { given: GIVEN, sent: maskSecret(GIVEN), after: {} }],
    ['of a variable beside a saved one', { given: GIVEN, saved: SAVED, sent: maskSecret(GIVEN), after: SAVED }],
    ['of a saved one that a variable hides', { given: GIVEN, saved: SAVED, sent: maskSecret(SAVED), after: SAVED }],
    ['of a saved one', { saved: SAVED, sent: maskSecret(SAVED), after: SAVED }],
    ['of a variable that is saved too', { given: GIVEN, saved: GIVEN, sent: maskSecret(GIVEN), after: GIVEN }],
  ] as const)('%s leaves the file as it is', async (_, { sent, after, ...values }) => {
    for (const source of ['variable', 'flag']) {
      await using dir = await tempDir()
      if ('saved' in values) await put(dir, 'runtime_settings.json', { https_proxy: values.saved })
      const given = 'given' in values ? values.given : undefined
      const place = source === 'flag' ? { argv: [`--https-proxy=${given}`] } : { env: { HTTPS_PROXY: given ?? '' } }
      await using settings = await open(dir, given === undefined ? {} : place)
      await settings.update({ https_proxy: sent, threads: 3 })
      expect(await saved(dir), source).toEqual({
        ...(typeof after === 'string' ? { https_proxy: after } : {}),
        threads: 3,
      })
      await settings.update({ https_proxy: NEW })
      expect(await saved(dir), source).toEqual({ https_proxy: NEW, threads: 3 })
    }
  })

  it.each([
    ['of a secret that is gone', maskSecret('http://gone.example')],
    ['of the secret of another setting', maskSecret('svc-canary-key')],
  ])('%s is refused', async (_, sent) => {
    await using dir = await tempDir()
    await using settings = await open(dir, { env: { HTTPS_PROXY: GIVEN, SVC_API_KEY: 'svc-canary-key' } })
    expect((await refusal(settings.update({ https_proxy: sent }))).message).toContain('load the settings again')
  })
})

describe('API keys', () => {
  it('add up from flag, saved settings and file, each once', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { api_keys: ['b', 'c'] })
    await put(dir, 'api_keys.json', ['c', 'd'])
    await using settings = await open(dir, { env: { SVC_API_KEY: 'a,b' } })
    expect(settings.legacyKeys()).toEqual(['a', 'b', 'c', 'd'])
    expect(settings.get('api_keys')).toEqual(['a', 'b', 'c', 'd'])
  })
  it('are shown as masks, and masks sent back mean the same keys', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { api_keys: ['svc-canary-saved-key-1', 'svc-canary-2'] })
    await put(dir, 'api_keys.json', ['svc-canary-file'])
    await using settings = await open(dir, { env: { SVC_API_KEY: 'svc-canary-env' } })
    const shown = settings.describe().api_keys
    expect(JSON.stringify(settings.describe())).not.toContain('canary')
    expect(shown).toEqual(
      ['svc-canary-env', 'svc-canary-saved-key-1', 'svc-canary-2', 'svc-canary-file'].map(maskSecret),
    )

    const changed = await settings.update({
      api_keys: [maskSecret('svc-canary-env'), maskSecret('svc-canary-2'), 'svc-new'],
    })
    expect(changed).toEqual(new Set(['api_keys']))
    expect(settings.legacyKeys()).toEqual(['svc-canary-env', 'svc-canary-2', 'svc-new', 'svc-canary-file'])
    expect(await saved(dir)).toEqual({ api_keys: ['svc-canary-2', 'svc-new'] })
  })
  it('of flags and file survive any save, and are not copied into the settings', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['from-file'])
    await using settings = await open(dir, { argv: ['--api-keys', 'from-flag'] })
    await settings.update({ api_keys: ['from-flag', 'from-file', 'mine', 'mine'] })
    expect(await saved(dir)).toEqual({ api_keys: ['mine'] })
    await settings.update({ api_keys: [] })
    expect(settings.legacyKeys()).toEqual(['from-flag', 'from-file'])
  })
  it('are not taken as the mask of a key that is gone', async () => {
    await using dir = await tempDir()
    await using settings = await open(dir)
    const error = await refusal(settings.update({ api_keys: [maskSecret('gone')] }))
    expect(error.message).toContain('load the settings again')
    expect(settings.legacyKeys()).toEqual([])
  })
  it('that all go are worth a warning', async () => {
    await using dir = await tempDir()
    const logger = listLogger()
    await using settings = await open(dir, { logger })
    await settings.update({ api_keys: ['one'] })
    await settings.update({ api_keys: [] })
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'the last API key is gone: nothing is restricted any longer',
    ])
  })
  it('appear in no log line', async () => {
    await using dir = await tempDir()
    const logger = listLogger()
    await using settings = await open(dir, { logger, env: { SVC_API_KEY: 'sk-canary' } })
    await settings.update({ api_keys: ['sk-canary-2'] })
    await put(dir, 'api_keys.json', '["sk-canary-3", broken')
    await expect.poll(() => settings.problems()).toHaveLength(1)
    expect(JSON.stringify(logger.lines)).not.toContain('canary')
  })
})

describe('files that change while the server runs', () => {
  it('count without a restart', async () => {
    await using dir = await tempDir()
    const bus = createBus({ logger: listLogger() })
    await using settings = await open(dir, { bus })
    for (const [name, content, change] of [
      ['runtime_settings.json', { threads: 3 }, 'threads'],
      ['api_keys.json', ['one'], 'api_keys'],
      ['external_backends.json', { mock: '/opt/mock' }, 'external_backends'],
    ] as const) {
      const told = nextChange(bus)
      await put(dir, name, content)
      expect(await told).toEqual(new Set([change]))
    }
    expect(settings.get('threads')).toBe(3)
    expect(settings.legacyKeys()).toEqual(['one'])
    expect([...settings.externalBackends()]).toEqual([['mock', '/opt/mock']])
  })
  it('count when they are replaced by a rename, and when they are emptied', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['one'])
    const bus = createBus({ logger: listLogger() })
    await using settings = await open(dir, { bus, argv: ['--api-keys', 'zero'] })
    await put(dir, 'api_keys.new', ['two'])
    const replaced = nextChange(bus)
    await rename(file(dir, 'api_keys.new'), file(dir, 'api_keys.json'))
    await replaced
    expect(settings.legacyKeys()).toEqual(['zero', 'two'])
    const emptied = nextChange(bus)
    await put(dir, 'api_keys.json', [])
    await emptied
    expect(settings.legacyKeys()).toEqual(['zero'])
    await put(dir, 'external_backends.json', { a: '/a' })
    await expect.poll(() => settings.externalBackends().size).toBe(1)
    const removed = nextChange(bus)
    await rm(file(dir, 'external_backends.json'))
    await removed
    expect(settings.externalBackends().size).toBe(0)
    expect(settings.problems()).toEqual([])
  })
  // verifies flags:config-dir:vanished-keys
  it.each([
    ['removed', (path: string) => rm(path)],
    ['renamed', (path: string) => rename(path, `${path}.old`)],
    ['moved elsewhere with its folder', (path: string) => rename(dirname(path), `${dirname(path)}.old`)],
    [
      'replaced by a link that leads nowhere',
      async (path: string) => {
        await rm(path)
        await symlink('nowhere', path)
      },
    ],
    [
      'replaced by a folder',
      async (path: string) => {
        await rm(path)
        await mkdir(path)
      },
    ],
    ['emptied to no bytes', (path: string) => writeFile(path, '')],
    [
      'lost with a folder that came back empty',
      async (path: string) => {
        await rename(dirname(path), `${dirname(path)}.old`)
        await mkdir(dirname(path))
      },
    ],
  ])('that are %s take no keys with them', async (_how, lose) => {
    for (const [name, content] of [
      ['api_keys.json', ['one']],
      ['runtime_settings.json', { api_keys: ['one'], threads: 3 }],
    ] as const) {
      await using dir = await tempDir()
      await put(dir, name, content)
      const logger = listLogger()
      await using settings = await open(dir, { logger })
      await lose(file(dir, name))
      await expect.poll(() => settings.problems().map((one) => one.file)).toContain(name)
      expect(settings.legacyKeys()).toEqual(['one'])
      expect(logger.lines.map(({ message }) => message)).not.toContain(
        'the last API key is gone: nothing is restricted any longer',
      )
    }
  })
  it('that vanished come back with the next save, and an administrator still takes keys away', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { api_keys: ['one', 'two'], threads: 3 })
    await using settings = await open(dir)
    await rm(file(dir, 'runtime_settings.json'))
    await settings.update({ api_keys: ['one'] })
    expect(settings.legacyKeys()).toEqual(['one'])
    expect(await saved(dir)).toEqual({ api_keys: ['one'], threads: 3 })
    expect(settings.problems()).toEqual([])
  })
  // verifies flags:config-dir:vanished-keys
  it('that are gone at a start do not count', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['one'])
    const first = await open(dir)
    await rm(file(dir, 'api_keys.json'))
    await first.close()
    await using second = await open(dir)
    expect(second.legacyKeys()).toEqual([])
  })
  it('keep their last good content when they turn bad, with the place reported', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['one'])
    await put(dir, 'runtime_settings.json', { threads: 3 })
    await put(dir, 'external_backends.json', { a: '/a' })
    const logger = listLogger()
    const bus = createBus({ logger: listLogger() })
    await using settings = await open(dir, { bus, logger })
    await put(dir, 'api_keys.json', '["one",\n"two"')
    await put(dir, 'runtime_settings.json', '{"threads": 4,\n"f16": "yes"}')
    await put(dir, 'external_backends.json', '{"a": "/b",\n"../c": "/c"}')
    await expect
      .poll(() => settings.problems().map(({ file: name, line }) => `${name}:${line}`))
      .toEqual(['runtime_settings.json:2', 'api_keys.json:2', 'external_backends.json:2'])
    expect(settings.legacyKeys()).toEqual(['one'])
    expect(settings.get('threads')).toBe(3)
    expect([...settings.externalBackends()]).toEqual([['a', '/a']])
    expect(
      logger.lines.some(({ message, fields }) => message === 'configuration file cannot be used' && fields.line === 2),
    ).toBe(true)

    const mended = nextChange(bus)
    await put(dir, 'runtime_settings.json', { threads: 4 })
    await mended
    expect(settings.problems().map(({ file: name }) => name)).toEqual(['api_keys.json', 'external_backends.json'])
  })
  it('keep their content when the folder goes away, as a lost mount does', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['one'])
    await using settings = await open(dir)
    await rename(dir.join('configuration'), dir.join('elsewhere'))
    await rm(dir.join('elsewhere', 'api_keys.json'))
    await expect
      .poll(() => settings.problems())
      .toContainEqual({ file: 'api_keys.json', message: 'its folder is not there' })
    expect(settings.legacyKeys()).toEqual(['one'])
  })
  it('are not lost when an update meets a broken one', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', { threads: 3 })
    await using settings = await open(dir)
    await put(dir, 'runtime_settings.json', '{"threads": 4, oops')
    await settings.update({ f16: true })
    expect(await saved(dir)).toEqual({ threads: 3, f16: true })
    const kept = (await readdir(dir.join('configuration'))).filter((name) =>
      name.startsWith('runtime_settings.json.corrupt-'),
    )
    expect(kept).toHaveLength(1)
    expect(await readFile(file(dir, kept[0] ?? ''), 'utf8')).toBe('{"threads": 4, oops')
    expect(settings.problems()).toEqual([])
  })
})

describe('a start with bad files', () => {
  it.each([
    ['runtime_settings.json', '{"threads": 4,'],
    ['runtime_settings.json', '{"api_keys": "sk-canary"}'],
    ['runtime_settings.json', '["sk-canary"]'],
    ['api_keys.json', '["sk-canary",'],
    ['api_keys.json', '{"keys": ["sk-canary"]}'],
    ['api_keys.json', '["********#01234567"]'],
  ])('is refused when keys may be in it: %s %s', async (name, content) => {
    await using dir = await tempDir()
    await put(dir, name, content)
    const error = await refusal(open(dir))
    expect(error).toBeInstanceOf(StartRefused)
    expect(error).toMatchObject({ exitCode: 78 })
    expect(error.message).toContain(dir.join('configuration'))
    expect(error.message).toContain(name)
    expect(error.message).not.toContain('canary')
    expect(await readFile(file(dir, name), 'utf8')).toBe(content)
  })
  it('goes on without what else cannot be understood, and says so', async () => {
    await using dir = await tempDir()
    await put(dir, 'runtime_settings.json', '{"threads": 4,\n "f16": "yes"}')
    await put(dir, 'external_backends.json', '{')
    await using settings = await open(dir)
    expect(settings.get('threads')).toBe(4)
    expect(settings.get('f16')).toBe(false)
    expect(settings.problems().map(({ file: name }) => name)).toEqual([
      'runtime_settings.json',
      'external_backends.json',
    ])
  })
  it('makes the folder, and does without where it cannot', async () => {
    await using dir = await tempDir()
    await using _settings = await open(dir)
    expect((await stat(dir.join('configuration'))).mode & 0o777).toBe(0o700)
    await writeFile(dir.join('blocked'), '')
    const logger = listLogger()
    await expect(open(dir, { argv: ['--config-dir', join(dir.path, 'blocked/x')], logger })).rejects.toThrow(
      /blocked\/x/,
    )
    expect(logger.lines.map(({ message }) => message)).toContain('configuration folder cannot be made')
  })
  it.skipIf(process.getuid?.() === 0)('is refused when it may not read the keys', async () => {
    await using dir = await tempDir()
    await put(dir, 'api_keys.json', ['one'])
    await chmod(file(dir, 'api_keys.json'), 0)
    expect((await refusal(open(dir))).message).toContain('permission denied')
  })
})

describe('external backends', () => {
  it('come from flag and file, and the flag wins by name', async () => {
    await using dir = await tempDir()
    await put(dir, 'external_backends.json', { mock: '/file', other: '127.0.0.1:9' })
    await using settings = await open(dir, { argv: ['--external-grpc-backends', 'mock:/flag:with:colons'] })
    expect(Object.fromEntries(settings.externalBackends())).toEqual({ mock: '/flag:with:colons', other: '127.0.0.1:9' })
  })
})
