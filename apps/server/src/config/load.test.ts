import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { formatToken } from '../p2p/token.ts'
import { type Command, loadConfig } from './load.ts'
import type { ServerConfig } from './schema.ts'

const load = (argv: readonly string[], env: Record<string, string> = {}): Command =>
  loadConfig({ argv, env, cwd: '/srv/svc' })

function run(argv: readonly string[], env: Record<string, string> = {}) {
  const command = load(argv, env)
  if (command.kind !== 'run') throw new Error(`not a run: ${JSON.stringify(command)}`)
  return command
}

function refused(argv: readonly string[], env: Record<string, string> = {}): string {
  const command = load(argv, env)
  if (command.kind !== 'usage-error') throw new Error(`not refused: ${command.kind}`)
  expect(command.exitCode).toBe(2)
  return command.message
}

describe('defaults', () => {
  // verifies cooldown:window:first, limits:ceiling:default, limits:upload:default, limits:address:default
  // verifies limits:context-size:default, limits:profiling:default-address, flags:models-path:default
  // verifies flags:log-level:default
  it('are those of the specification', () => {
    const { config, sources, warnings } = run([])
    expect(config).toMatchObject({
      address: { host: undefined, port: 8080 },
      modelsPath: '/srv/svc/models',
      backendsPath: '/srv/svc/backends',
      dataPath: '/srv/svc/data',
      configDir: '/srv/svc/configuration',
      uploadLimitBytes: 15 * 1024 * 1024,
      httpCompressionMinLengthBytes: 1024,
      maxConcurrentBackendRequests: 1024,
      modelLoadFailureCooldownMs: 10_000,
      modelLoadWaitMs: 60_000,
      contextSize: -1,
      logLevel: 'info',
      pprofAddress: { host: '127.0.0.1', port: 6060 },
      apiKeys: [],
      authRegistrationMode: 'approval',
      // verifies flags:p2p:dht-interval
      p2pDhtInterval: 360,
      // verifies flags:p2p:otp-interval
      p2pOtpInterval: 9000,
    } satisfies Partial<ServerConfig>)
    expect(config.authDatabaseUrl).toBeUndefined()
    expect(config.externalBaseUrl).toBeUndefined()
    expect(config.httpGetExemptedEndpoints).toHaveLength(8)
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
    expect(warnings).toEqual([])
  })
  it('make a frozen configuration', () => {
    const { config } = run(['--api-keys', 'one'])
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.apiKeys)).toBe(true)
    expect(Object.isFrozen(config.address)).toBe(true)
  })
})

describe('the type of a configuration', () => {
  it('follows from the table', () => {
    expectTypeOf<ServerConfig['threads']>().toEqualTypeOf<number>()
    expectTypeOf<ServerConfig['f16']>().toEqualTypeOf<boolean>()
    expectTypeOf<ServerConfig['demoModel']>().toEqualTypeOf<'auto' | 'true' | 'false'>()
    expectTypeOf<ServerConfig['apiKeys']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<ServerConfig['authDatabaseUrl']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<ServerConfig['address']['host']>().toEqualTypeOf<string | undefined>()
  })
})

describe('flags', () => {
  it.each([
    [['--threads', '4']],
    [['--threads=4']],
    [['-t', '4']],
    [['-t4']],
    [['-t=4']],
    [['--threads', '2', '-t', '4']],
  ])('%j sets the threads', (argv) => {
    const { config, sources } = run(argv)
    expect(config.threads).toBe(4)
    expect(sources.threads).toBe('flag')
  })
  it.each([
    [['--f16'], true],
    [['--f16=true'], true],
    [['--f16=off'], false],
    [['--no-f16'], false],
    [['--f16', '--no-f16'], false],
  ])('%j switches', (argv, value) => {
    expect(run(argv).config.f16).toBe(value)
  })
  it('may stand before and after the command', () => {
    const { config } = run(['--f16', 'run', '--address', ':9000'])
    expect(config.f16).toBe(true)
    expect(config.address.port).toBe(9000)
  })
  it('take a negative number as their value', () => {
    expect(run(['--context-size', '-1']).config.contextSize).toBe(-1)
  })
  it('of a list add up', () => {
    expect(run(['--api-keys', 'a,b', '--api-keys=c']).config.apiKeys).toEqual(['a', 'b', 'c'])
  })
  it('are refused by name when unknown, with the nearest one', () => {
    expect(refused(['--thread', '4'])).toBe('unknown flag --thread (did you mean --threads?)')
    expect(refused(['--xyzzy'])).toBe('unknown flag --xyzzy')
    expect(refused(['-x'])).toMatch(/^unknown flag -x/)
  })
  it('are refused without their value', () => {
    expect(refused(['--address'])).toContain('--address needs a value: an address such as :8080')
    expect(refused(['--machine-tag', '--f16'])).toContain('--machine-tag needs a value')
    expect(refused(['--no-f16=true'])).toBe('--no-f16 takes no value')
  })
  it('are refused with a value of the wrong form, named as written', () => {
    expect(refused(['-t', 'many'])).toBe('--threads: "many" is not a whole number from 0 to 4096')
    expect(refused(['--f16=maybe'])).toBe('--f16: "maybe" is not true or false')
    expect(refused(['--address='])).toContain('--address: "" is not an address')
    expect(refused(['--pprof-address', '0.0.0.0:6060'])).toContain('numeric loopback address')
    expect(refused(['--pprof-mutex-profile-fraction', '5'])).toContain('JavaScript has no locks to profile')
  })
  it('report every mistake at once', () => {
    expect(refused(['--treads', '4', '--upload-limit', 'big']).split('\n')).toEqual([
      'unknown flag --treads (did you mean --threads?)',
      expect.stringContaining('--upload-limit: "big" is not a size'),
    ])
  })
})

describe('variables', () => {
  it('stand behind flags and before defaults', () => {
    const env = { SVC_THREADS: '3', SVC_MODELS_PATH: 'elsewhere' }
    const { config, sources } = run(['-t', '7'], env)
    expect([config.threads, sources.threads]).toEqual([7, 'flag'])
    expect([config.modelsPath, sources.modelsPath]).toEqual(['/srv/svc/elsewhere', 'env'])
    expect(sources.dataPath).toBe('default')
  })
  it('that are empty count as not set', () => {
    const { config, sources, warnings } = run([], { SVC_ADDRESS: '', SVC_UNKNOWN: '' })
    expect([config.address.port, sources.address]).toEqual([8080, 'default'])
    expect(warnings).toEqual([])
  })
  // verifies auth-config:database:variables
  it('of several names count in their order', () => {
    expect(run([], { DATABASE_URL: 'postgres://b/x' }).config.authDatabaseUrl).toBe('postgres://b/x')
    expect(run([], { SVC_AUTH_DATABASE_URL: '', DATABASE_URL: 'postgres://b/x' }).config.authDatabaseUrl).toBe(
      'postgres://b/x',
    )
    expect(run([], { SVC_AUTH_DATABASE_URL: 'a.db', DATABASE_URL: 'postgres://b/x' }).config.authDatabaseUrl).toBe(
      '/srv/svc/a.db',
    )
  })
  it('are refused by their own name', () => {
    expect(refused([], { SVC_MODEL_LOAD_WAIT: 'soon' })).toContain(
      'SVC_MODEL_LOAD_WAIT: "soon" is not a duration such as 10s',
    )
    expect(refused([], { SVC_METRICS_ACCESS: 'all' })).toBe('SVC_METRICS_ACCESS: "all" is not one of admin, any')
  })
  it('that are unknown make one warning and no refusal', () => {
    const { warnings } = run([], { SVC_MODEL_PATH: '/x', SVC_PORT_8080_TCP_ADDR: '10.0.0.1', HOME: '/root' })
    expect(warnings).toEqual([
      'variables without a meaning here: SVC_MODEL_PATH (did you mean SVC_MODELS_PATH?), SVC_PORT_8080_TCP_ADDR',
    ])
  })
  it('that are unknown are not listed without end', () => {
    const env = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`SVC_ZZZZZZZZ_QQQQQQQQ_${index}`, '1']))
    expect(run([], env).warnings).toEqual([expect.stringMatching(/ and 28 more$/)])
  })
})

describe('features of later versions', () => {
  // verifies flags:declared:not-in-this-version
  it.each([
    [
      [],
      { SVC_AGENT_POOL_TTS_MODEL: 'x' },
      'SVC_AGENT_POOL_TTS_MODEL cannot be had: agents answer in text; /v1/audio/speech speaks it',
    ],
  ])('%j %j are refused', (argv, env, message) => {
    expect(refused(argv, env)).toEqual(message)
  })
  it('may be set to what they are anyway', () => {
    const { config } = run(['--p2p=false', '--no-federated', '--p2p-dht-interval', '360'], {
      SVC_FEDERATED: 'false',
      SVC_WATCHDOG_IDLE_TIMEOUT: '900s',
    })
    expect(config.p2p).toBe(false)
  })
})

describe('commands', () => {
  it.each([
    [['run'], 'run'],
    [['models', 'list'], 'models-list'],
    [['models', '--models-path', 'm', 'list'], 'models-list'],
    [['models', 'schema'], 'models-schema'],
    [['backends', 'list'], 'backends-list'],
    [['openapi'], 'openapi'],
    [['--version'], 'version'],
    [['version'], 'version'],
    [['--help'], 'help'],
    [['models', 'list', '-h', '--nonsense'], 'help'],
    [['--help', '--all'], 'help'],
    [['help', '--all'], 'help'],
  ])('%j is %s', (argv, kind) => {
    expect(load(argv).kind).toBe(kind)
  })
  it('add a model file by its absolute path', () => {
    expect(load(['models', 'add', 'a.gguf'])).toMatchObject({
      kind: 'models-add',
      source: { file: '/srv/svc/a.gguf', name: undefined, transfer: 'copy' },
      config: { modelsPath: '/srv/svc/models' },
    })
    expect(load(['models', 'add', '--', '-odd.gguf'])).toMatchObject({ source: { file: '/srv/svc/-odd.gguf' } })
    expect(load(['models', 'add', 'a.gguf', '--name', 'b', '--link'])).toMatchObject({
      source: { name: 'b', transfer: 'link' },
    })
    expect(load(['--move', 'models', 'add', '--name=b', 'a.gguf'])).toMatchObject({
      source: { file: '/srv/svc/a.gguf', name: 'b', transfer: 'move' },
    })
  })
  it('convert a folder by its absolute path', () => {
    expect(load(['models', 'convert', 'faster-whisper-tiny'])).toMatchObject({
      kind: 'models-convert',
      source: { file: '/srv/svc/faster-whisper-tiny', name: undefined },
    })
    expect(load(['models', 'convert', 'a', '--name', 'b'])).toMatchObject({ source: { name: 'b' } })
  })
  it('take models, addresses and the form of what they print', () => {
    expect(load(['run', 'a', 'b'])).toMatchObject({ kind: 'run', models: ['a', 'b'] })
    expect(load(['models', 'list', '--json'])).toMatchObject({ kind: 'models-list', json: true })
    expect(load(['backends', 'upgrade'])).toMatchObject({ remote: { verb: 'backends upgrade', argument: '' } })
    expect(load(['models', 'import', 'hf://a/b', '--backend', 'c', '--name=d', '--json'])).toMatchObject({
      remote: { verb: 'models import', argument: 'hf://a/b', backend: 'c', name: 'd', json: true },
    })
  })
  it('show and delete a model by its name', () => {
    expect(load(['models', 'show', 'a'])).toMatchObject({ kind: 'models-show', name: 'a' })
    expect(load(['models', 'delete', 'a b'])).toMatchObject({ kind: 'models-delete', name: 'a b' })
  })
  it.each([
    [['rum'], 'unknown command rum (did you mean run?)'],
    [['models', 'lst'], 'unknown command models lst (did you mean models list?)'],
    [['models'], 'unknown command models'],
    [
      ['serve'],
      'unknown command serve (it is svc run here); the commands are run, chat, worker, mcp, models list, models add, ',
    ],
    [['frobnicate'], 'unknown command frobnicate; the commands are run, chat, worker, mcp, models list, '],
    [['models', 'rm', 'a'], 'unknown command models rm (it is svc models delete NAME here)'],
    [['pull', 'a'], 'it is svc models install NAME here'],
    [['models', 'show'], 'models show takes one NAME'],
    [['models', 'delete', 'a', 'b'], 'models delete takes one NAME'],
    [['models', 'list', '--name', 'x'], '--name does not belong to models list'],
    [['run', '--hours', '2'], '--hours does not belong to run'],
    [['models', 'add', 'a', '--role', 'admin'], '--role does not belong to models add'],
    [['run', '--json'], '--json does not belong to run'],
    [['backends', 'upgrade', 'a', 'b'], 'backends upgrade takes at most one NAME'],
    [['models', 'import'], 'models import takes one URI'],
    [['run', '--all'], '--all belongs to --help'],
    [['models', 'add', 'a', '--name'], '--name needs a value: a name'],
    [['models', 'add', 'a', '--link', '--move'], '--link and --move exclude each other'],
    [['--port', '8080'], 'unknown flag --port (it is --address HOST:PORT here)'],
    [['--host=0.0.0.0'], 'unknown flag --host (it is --address HOST:PORT here)'],
    [['-m', 'a.gguf'], 'unknown flag -m (it is `svc models add FILE`'],
    [['models', 'add'], 'models add takes one FILE'],
    [['models', 'convert'], 'models convert takes one FOLDER'],
    [['models', 'convert', 'a', '--move'], '--move does not belong to models convert'],
    [['models', 'add', 'a', 'b'], 'models add takes one FILE'],
    [['backends', 'list', 'all'], 'unknown command backends list'],
  ])('%j is refused', (argv, message) => {
    expect(refused(argv)).toContain(message)
  })
})

describe('secrets', () => {
  const { config } = run([], {
    SVC_API_KEY: 'sk-canary-1,sk-canary-2',
    SVC_AUTH_DATABASE_URL: 'postgres://u:canary@db/x',
  })
  it('are values like any other to the program', () => {
    expect(config.apiKeys).toEqual(['sk-canary-1', 'sk-canary-2'])
  })
  it('are masked wherever a configuration is printed', () => {
    expect(JSON.stringify({ config })).not.toContain('canary')
    expect(inspect({ config })).not.toContain('canary')
    expect(JSON.parse(JSON.stringify(config))).toMatchObject({
      apiKeys: ['********', '********'],
      authDatabaseUrl: '********',
      threads: 0,
    })
  })
  it('that are tokens of a network are read at the start', () => {
    const token = formatToken({ key: 'ab'.repeat(32), peers: [] })
    expect(run([], { SVC_P2P_TOKEN: token }).config.p2pToken).toBe(token)
    expect(run(['--p2p-token=0'], {}).config.p2pToken).toBe('0')
    const refused = loadConfig({ argv: ['run'], env: { SVC_P2P_TOKEN: 'svc-hidden-word' }, cwd: '/' })
    expect(refused).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining('SVC_P2P_TOKEN: the value is'),
    })
    expect(JSON.stringify(refused)).not.toContain('svc-hidden-word')
  })
  it('are not repeated in a refusal', () => {
    const message = refused([], { SVC_API_KEY: 'sk-ca\nnary' })
    expect(message).not.toContain('nary')
    expect(message).toBe('SVC_API_KEY: the value is not a list of texts between commas')
  })
})

describe('chat', () => {
  const chat = (...argv: readonly string[]) => loadConfig({ argv: ['chat', ...argv], env: {}, cwd: '/w' })

  it.each([
    [['m'], { model: 'm', system: undefined, prompt: undefined }],
    [['m', 'hi', 'there'], { model: 'm', system: undefined, prompt: ['hi', 'there'] }],
    [['m', '--system', 'Be brief.', 'hi'], { model: 'm', system: 'Be brief.', prompt: ['hi'] }],
    [['m', '--address=:1', '-'], { model: 'm', system: undefined, prompt: ['-'] }],
    [['m', '--', '--not a flag'], { model: 'm', system: undefined, prompt: ['--not a flag'] }],
  ])('%j asks a model', (argv, task) => {
    expect(chat(...argv)).toMatchObject({ kind: 'chat', chat: task })
  })

  it.each([
    [[], 'chat takes MODEL'],
    [[''], 'chat takes MODEL'],
    [['m', '--system'], '--system needs a value'],
    [['m', '--json', 'hi'], '--json does not belong to chat'],
    [['m', '--name', 'n'], '--name does not belong to chat'],
    [['m', '--nope'], 'unknown flag --nope'],
  ])('%j is refused', (argv, message) => {
    expect(chat(...argv)).toMatchObject({ kind: 'usage-error', exitCode: 2, message: expect.stringContaining(message) })
  })
})
