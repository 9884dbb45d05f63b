import { createServer } from 'node:net'
import { listenOnFreePort, tempDir } from '@svc/test-kit'
import { settingsErrorReply, settingsUpdateReply } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

interface Origin {
  readonly key: string
  readonly saved_value_unused: boolean
  readonly problems?: readonly string[]
}

async function readOrigin(server: TestServer, key: string): Promise<Origin | undefined> {
  const { settings } = (await server.call('/api/settings/sources')).json() as { settings: readonly Origin[] }
  return settings.find((origin) => origin.key === key)
}

async function save(server: TestServer, patch: object) {
  const reply = await server.post('/api/settings', patch)
  expect([reply.status, reply.text]).toEqual([200, expect.anything()])
  return settingsUpdateReply.parse(reply.json())
}

const UPDATED = { success: true, message: 'Settings updated successfully' }

describe('a setting that a flag or a variable sets', () => {
  verifies('settings:reply:not-in-force', 'is saved, and the reply says what keeps it from acting', async () => {
    await using server = await startTestServer({
      flags: ['--threads=3', '--f16', '--api-keys=one-key'],
      env: { SVC_CONTEXT_SIZE: '4096', SVC_PII_DEFAULT_DETECTORS: '' },
    })
    const headers = { authorization: 'Bearer one-key' }
    const change = async (patch: object) => (await server.post('/api/settings', patch, headers)).json()
    const threads = { key: 'threads', reason: 'the flag --threads sets another value at the start' }
    const context = { key: 'context_size', reason: expect.stringContaining('the variable SVC_CONTEXT_SIZE') }
    const half = { key: 'f16', reason: 'the flag --f16 sets another value at the start' }
    for (const [patch, unused] of [
      [{ threads: 7 }, [threads]],
      [{ context_size: 100, debug: true }, [context]],
      [{ f16: false, threads: 8, context_size: 200 }, [threads, half, context]],
    ] as const) {
      const reply = (await change(patch)) as { message: string; not_in_force: { key: string }[] }
      expect(reply).toEqual({
        success: true,
        message: expect.stringMatching(/^Settings saved but not in force: /),
        not_in_force: expect.arrayContaining([...unused]),
      })
      expect(reply.not_in_force).toHaveLength(unused.length)
      for (const { key } of reply.not_in_force) expect(reply.message).toContain(key)
    }
    for (const patch of [
      { threads: 3 },
      { threads: null },
      { debug: false },
      { api_keys: ['another'] },
      { f16: true },
      {},
    ]) {
      expect([patch, await change(patch)]).toEqual([patch, UPDATED])
    }
    const sources = await server.call('/api/settings/sources', { headers })
    const { settings } = sources.json() as { settings: readonly Origin[] }
    expect(settings.filter((origin) => origin.saved_value_unused).map(({ key }) => key)).toEqual(['context_size'])
    const shown = (await server.call('/api/settings', { headers })).json() as object
    expect(await change(shown)).toMatchObject({ success: true })
  })

  it('acts when the server starts without the flag', async () => {
    await using folder = await tempDir()
    {
      await using first = await startTestServer({ folder: folder.path, flags: ['--threads=3'] })
      expect(await save(first, { threads: 7 })).toMatchObject({ not_in_force: [{ key: 'threads' }] })
    }
    await using second = await startTestServer({ folder: folder.path })
    expect((await second.call('/api/settings')).json()).toMatchObject({ threads: 7 })
  })
})

describe('the setting mitm_listen', () => {
  verifies('settings:reply:listener', 'is saved, and the reply says why the listener does not start', async () => {
    const taken = createServer()
    const port = await listenOnFreePort(taken)
    await using server = await startTestServer()
    const address = `127.0.0.1:${port}`
    const reply = await server.post('/api/settings', { mitm_listen: address, threads: 2 })
    expect(reply.status).toBe(500)
    const countStarts = () => server.logLines.filter((line) => line.includes('intercepting proxy cannot start')).length
    expect(countStarts()).toBe(1)
    expect(settingsErrorReply.parse(reply.json())).toEqual({
      success: false,
      error: expect.stringMatching(/^Settings saved but failed to restart mitm_listen: .*(?:EADDRINUSE|in use)/),
      not_in_force: [{ key: 'mitm_listen', reason: expect.stringMatching(/EADDRINUSE|in use/) }],
    })
    expect((await server.call('/api/settings')).json()).toMatchObject({ mitm_listen: address, threads: 2 })
    expect(await readOrigin(server, 'mitm_listen')).toMatchObject({
      problems: [expect.stringMatching(/EADDRINUSE|in use/)],
    })
    const { events } = (await server.call('/api/pii/events?change=setting')).json() as {
      events: { outcome?: string }[]
    }
    expect(events).toMatchObject([{ change: 'setting.change', outcome: 'done' }])
    expect(await save(server, { threads: 3 })).toEqual(UPDATED)
    // Saved again, the address is tried again.
    expect((await server.post('/api/settings', { mitm_listen: address })).status).toBe(500)
    expect(countStarts()).toBe(2)
    await new Promise((resolve) => taken.close(resolve))
    expect(await save(server, { mitm_listen: address })).toEqual(UPDATED)
    expect(await readOrigin(server, 'mitm_listen')).not.toHaveProperty('problems')
    expect((await server.call('/api/middleware/status')).json()).toMatchObject({
      mitm: { running: true, listen_addr: address },
    })
    expect(await save(server, { mitm_listen: '' })).toEqual(UPDATED)
  })

  it('says so for an address that this machine does not have, and goes on with the next', async () => {
    await using server = await startTestServer()
    for (const address of ['203.0.113.7:0', 'no-such-host.invalid:0', '[2001:db8::7]:0']) {
      const reply = await server.post('/api/settings', { mitm_listen: address })
      const unused = { success: false, not_in_force: [{ key: 'mitm_listen' }] }
      expect([address, reply.status, reply.json()]).toMatchObject([address, 500, unused])
      const starts = server.logLines.filter((line) => line.includes('cannot start') && line.includes(address))
      expect(starts, address).toHaveLength(1)
    }
    expect(await save(server, { mitm_listen: '127.0.0.1:0' })).toEqual(UPDATED)
  })

  it('is a bare status with --opaque-errors', async () => {
    await using server = await startTestServer({ flags: ['--opaque-errors'] })
    for (const patch of [{ mitm_listen: '203.0.113.7:0' }, { threads: 'x' }]) {
      const reply = await server.post('/api/settings', patch)
      expect([reply.status >= 400, reply.text]).toEqual([true, ''])
    }
  })
})

describe('the galleries of the settings', () => {
  verifies('settings:galleries:checked', 'are refused by name where nothing reads their address', async () => {
    await using server = await startTestServer()
    const before = (await server.call('/api/settings')).json() as object
    for (const key of ['galleries', 'backend_galleries']) {
      for (const url of [
        '',
        'ftp://host/x',
        'index.yaml',
        '/etc/index.yaml',
        'ollama://x',
        'ocifile:///x',
        'file:///etc/passwd',
        'file://../x',
        'hf:owner',
        'github:a/../b',
        'http://',
        'oci://x',
        'javascript:1',
      ]) {
        const reply = await server.post('/api/settings', { threads: 9, [key]: [{ name: 'mine', url }] })
        expect([key, url, reply.status, reply.json()]).toEqual([
          ...[key, url, 400],
          { success: false, error: expect.stringMatching(new RegExp(`^Invalid ${key}: "mine": `)) },
        ])
      }
      const mirrors = ['https://host.example/i.yaml', 'nowhere']
      const reply = await server.post('/api/settings', {
        [key]: [{ name: 'm', url: 'https://host.example/x.yaml', mirrors }],
      })
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('nowhere')])
    }
    expect((await server.call('/api/settings')).json()).toEqual(before)
  })

  it('take every form that is read', async () => {
    await using server = await startTestServer()
    for (const url of [
      'https://host.example/index.yaml',
      'http://127.0.0.1:1/i',
      'github:owner/repo/index.yaml@main',
      'hf://owner/repo/i.yaml',
      'huggingface://owner/repo/i.yaml',
      'file://index.yaml',
      'oci://registry.example/galleries/models:latest',
    ])
      expect([url, await save(server, { galleries: [{ name: 'mine', url }] })]).toEqual([url, UPDATED])
  })

  it('keep an entry that was there before, whatever its address', async () => {
    const old = { name: 'old', url: 'ftp://host/x' }
    await using server = await startTestServer({
      configFiles: { 'runtime_settings.json': JSON.stringify({ galleries: [old] }) },
    })
    expect(await save(server, { galleries: [old, { name: 'new', url: 'https://host.example/i' }] })).toEqual(UPDATED)
  })
})

describe('the default detectors', () => {
  verifies(
    'settings:detectors:warned',
    'are taken with a warning where a model is not there or does not detect',
    async () => {
      await using server = await startTestServer()
      await server.model('plain')
      await server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: {} })
      await server.model('off', {}, { known_usecases: ['token_classify'], pii_detection: {}, disabled: true })
      await server.model('half', {}, { known_usecases: ['chat'], pii_detection: {} })
      await server.post('/models/reload', {})
      for (const [names, faults] of [
        [['ner'], []],
        [['gone'], ['there is no model "gone"']],
        [['plain', 'ner'], ['the model "plain" is not a detector']],
        [['half'], ['the model "half" is not a detector']],
        [['off'], ['the model "off" is disabled']],
        [['../x'], ['there is no model "../x"']],
        [
          ['gone', 'plain'],
          ['there is no model "gone"', 'the model "plain" is not a detector'],
        ],
        [[], []],
      ] as const) {
        const warnings = faults.map((fault) => `pii_default_detectors: ${fault}`)
        const reply = await save(server, { pii_default_detectors: names })
        expect([names, reply]).toEqual([names, warnings.length === 0 ? UPDATED : { ...UPDATED, warnings }])
        expect((await readOrigin(server, 'pii_default_detectors'))?.problems ?? []).toEqual(faults)
      }
    },
  )

  it('are shown with their faults when a variable names them', async () => {
    await using server = await startTestServer({ env: { SVC_PII_DEFAULT_DETECTORS: 'gone' } })
    expect(await readOrigin(server, 'pii_default_detectors')).toMatchObject({ problems: ['there is no model "gone"'] })
  })
})

describe('the default model', () => {
  verifies('settings:default-model:warned', 'is taken with a warning where it cannot answer a chat', async () => {
    await using server = await startTestServer()
    const chats = { known_usecases: ['chat'] }
    await server.model('plain', {}, chats)
    await server.model('off', {}, { ...chats, disabled: true })
    await server.model('bare', {}, { ...chats, backend: 'llama', parameters: { model: 'gone.gguf' } })
    await server.model('embeds', {}, { known_usecases: ['embeddings'], template: {} })
    for (const [alias, target] of Object.entries({ short: 'plain', 'to-off': 'off', lost: 'gone', twice: 'short' }))
      await server.writeModelFile(`${alias}.yaml`, `name: ${alias}\nalias: ${target}\n`)
    await server.post('/models/reload', {})
    for (const [name, fault] of [
      ['plain', undefined],
      ['', undefined],
      ['short', undefined],
      ['gone', 'there is no model "gone"'],
      ['plain.yaml', 'there is no model "plain.yaml"'],
      ['../plain', 'there is no model "../plain"'],
      ['off', 'the model "off" is disabled'],
      ['bare', 'the model "bare" has no weights: file "gone.gguf" is not in the models folder'],
      ['embeds', 'the model "embeds" serves no chats'],
      ['to-off', 'the model "off" of the alias "to-off" is disabled'],
      ['lost', 'the alias "lost" leads to no model'],
      ['twice', 'the alias "twice" leads to no model'],
    ] as const) {
      const reply = await save(server, { default_model: name })
      const warnings = fault === undefined ? {} : { warnings: [`default_model: ${fault}`] }
      expect([name, reply]).toEqual([name, { ...UPDATED, ...warnings }])
      expect((await readOrigin(server, 'default_model'))?.problems, name).toEqual(
        fault === undefined ? undefined : [fault],
      )
    }
  })
})

it('wrong entries of the allowed origins are named', async () => {
  await using server = await startTestServer()
  for (const [origins, wrong] of [
    ['https://site.example, http://localhost:3000/', []],
    ['*', []],
    ['chrome-extension://abcdef', []],
    ['site.example', ['"site.example"']],
    ['https://site.example/path,null', ['"https://site.example/path"', '"null"']],
    ['https://site.example,localhost:3000', ['"localhost:3000"']],
  ] as const) {
    const { warnings = [] } = await save(server, { cors_allow_origins: origins })
    expect([origins, warnings]).toEqual([
      origins,
      wrong.map((origin) => `cors_allow_origins: ${origin} is not an origin such as https://site.example`),
    ])
  }
})
