import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDeferred, eventually, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { hubPath, mockEntry, WEIGHTS } from '../support/gallery-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const EVENTS = '/api/pii/events'

describe('/readyz', () => {
  it.each([
    ['deleted', (data: string) => rm(data, { recursive: true })],
    ['moved away', (data: string) => rename(data, `${data}-moved`)],
    [
      'replaced by an empty one',
      async (data: string) => {
        await rename(data, `${data}-moved`)
        await mkdir(data)
      },
    ],
    [
      'replaced by that of another server',
      async (data: string) => {
        await rename(data, `${data}-moved`)
        await mkdir(data)
        const holder = { pid: 1, start: 'x', host: 'other', token: 'other' }
        for (const name of ['svc.lock', 'database.db.lock']) await writeFile(join(data, name), JSON.stringify(holder))
      },
    ],
  ])('is 503 once the data folder is %s; what needs it fails, and nothing is written there', async (_, takeAway) => {
    await using server = await startTestServer()
    await server.model('m')
    const data = join(server.folder, 'data')
    expect((await server.call('/readyz')).status).toBe(200)
    await takeAway(data)
    const before = await readdir(data).catch(() => undefined)
    await eventually(async () => {
      const reply = await server.call('/readyz')
      expect([reply.status, reply.json()]).toEqual([
        503,
        { status: 'degraded', reason: expect.stringContaining('data folder') },
      ])
      expect(reply.text).not.toContain(server.folder)
    })
    await eventually(async () => expect((await server.call(EVENTS)).status).toBe(503))
    const stored = await server.post('/v1/responses', { model: 'm', input: 'hi', store: true })
    expect(stored.status).toBeGreaterThanOrEqual(500)
    expect((await server.call('/healthz')).status).toBe(200)
    expect((await server.chat('m')).status).toBe(200)
    expect(await readdir(data).catch(() => undefined)).toEqual(before)
    await server.server.close()
    expect(await readdir(data).catch(() => undefined)).toEqual(before)
  })
})

describe('/readyz at the start', () => {
  const STARTING = (reason: string) => [503, { status: 'starting', reason }]
  const look = async (server: TestServer) => {
    const reply = await server.call('/readyz')
    return [reply.status, reply.text === '' ? undefined : reply.json()]
  }
  const untilReady = (server: TestServer) =>
    eventually(async () => expect((await server.call('/readyz')).status).toBe(200))
  const NAMED = 'the models that the start names are installed and loaded'
  const INSTALLED = 'what the configuration names is installed'

  verifies('discovery:health:started', 'is 503 until models named on the command line are loaded', async () => {
    await using first = await startTestServer()
    await first.model('slow', { rules: [{ rpc: 'LoadModel', do: { delayMs: 500 } }] })
    await first.model('m')
    await using server = await startTestServer({ flags: [`--models-path=${first.modelsPath}`, '--models=m,slow'] })
    expect(await look(server)).toEqual(STARTING(NAMED))
    expect((await server.chat('m')).status).toBe(200)
    await untilReady(server)
    const { loaded_models: loaded } = (await server.call('/system')).json() as { loaded_models: { id: string }[] }
    expect(loaded.map(({ id }) => id)).toEqual(['m', 'slow'])
  })

  it('is 503 until the models of --preload-models are installed', async () => {
    const held = createDeferred<void>()
    await using origin = await startFileOrigin({
      files: { '/index.yaml': Buffer.from(stringify([mockEntry('one')])) },
      handle({ url, method }, response) {
        if (url !== hubPath('one.bin')) return false
        const head = { 'content-length': WEIGHTS.length, etag: '"one"' }
        void held.promise.then(() => response.writeHead(200, head).end(method === 'HEAD' ? undefined : WEIGHTS))
        return true
      },
    })
    await using server = await startTestServer({
      flags: [
        `--galleries=${JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])}`,
        '--preload-models=[{"id":"test@one"}]',
      ],
      env: { HF_ENDPOINT: origin.origin },
    })
    expect(await look(server)).toEqual(STARTING(INSTALLED))
    held.resolve()
    await untilReady(server)
    expect(await readdir(server.modelsPath)).toContain('one.yaml')
  })

  it.each([
    ['--models=none', 'model to install at start could not be installed'],
    ['--preload-models=[{"id":"none"}]', 'operation failed'],
  ])('is 200 once what was asked for has failed: %s', async (flag, line) => {
    await using server = await startTestServer({ flags: [flag] })
    await untilReady(server)
    expect(server.logLines.join('')).toContain(line)
  })

  it('is 503 until the intercepting proxy accepts connections', async () => {
    await using server = await startTestServer({ flags: ['--mitm-listen=127.0.0.1:0'] })
    expect(await look(server)).toEqual(STARTING('the intercepting proxy starts'))
    await untilReady(server)
    const { mitm } = (await server.call('/api/middleware/status')).json() as { mitm: { running: boolean } }
    expect(mitm.running).toBe(true)
    await server.post('/api/settings', { mitm_listen: '' })
    await server.post('/api/settings', { mitm_listen: '127.0.0.1:0' })
    expect((await server.call('/readyz')).status).toBe(200)
  })
})
