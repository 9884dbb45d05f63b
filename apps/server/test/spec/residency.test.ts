import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

/** Lists loaded models from the system endpoint. */
async function loadedModels(server: TestServer): Promise<readonly string[]> {
  const { loaded_models: loaded } = (await server.call('/system')).json() as { loaded_models: { id: string }[] }
  return loaded.map(({ id }) => id)
}

describe('--max-active-backends', () => {
  verifies(
    'residency:stop:evicted',
    'stops the least recently used model; its next request loads it again',
    async () => {
      await using server = await startTestServer({ flags: ['--max-active-backends=2'] })
      for (const name of ['a', 'b', 'c']) await server.model(name)
      for (const name of ['a', 'b', 'a', 'c']) expect((await server.chat(name)).status).toBe(200)
      expect(await loadedModels(server)).toEqual(['a', 'c'])
      expect((await server.chat('b')).status).toBe(200)
      expect(await loadedModels(server)).toEqual(['b', 'c'])
    },
  )

  it('has an older way to be 1, leaves pinned models alone and changes while the server runs', async () => {
    await using server = await startTestServer({ flags: ['--single-active-backend'] })
    await server.model('pinned', {}, { pinned: true })
    await server.model('m')
    expect((await server.chat('pinned')).status).toBe(200)
    const refused = await server.chat('m')
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([
      503,
      '1',
      { error: { message: 'no room to load model "m": as many models as may be (1) are pinned' } },
    ])
    expect(await loadedModels(server)).toEqual(['pinned'])
  })

  verifies('errors:status:eviction', 'answers 503 with Retry-After when no place gets free in time', async () => {
    await using server = await startTestServer({
      flags: ['--max-active-backends=1', '--lru-eviction-max-retries=2', '--lru-eviction-retry-interval=20ms'],
    })
    await server.model('busy', { rules: [{ rpc: 'Predict', do: { hang: true } }] })
    await server.model('m')
    void server.chat('busy').catch(() => undefined)
    await eventually(() => expect(server.records('busy').some(({ rpc }) => rpc === 'Predict')).toBe(true))
    const refused = await server.chat('m')
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([
      503,
      '1',
      { error: { message: 'no room to load model "m": as many models as may be (1) are at work' } },
    ])
    // a setting applies at once, to the next request
    expect((await server.post('/api/settings', { force_eviction_when_busy: true })).status).toBe(200)
    expect((await server.chat('m')).status).toBe(200)
    expect(await loadedModels(server)).toEqual(['m'])
  })

  it('stops the largest model first with --size-aware-eviction', async () => {
    await using server = await startTestServer({ flags: ['--max-active-backends=2', '--size-aware-eviction'] })
    // larger than the memory of any backend process; the file has no content
    const weights = join(server.modelsPath, 'large.bin')
    await writeFile(weights, '')
    await truncate(weights, 4 * 1024 ** 4)
    for (const name of ['small', 'large', 'm']) await server.model(name)
    for (const name of ['small', 'large', 'm']) expect((await server.chat(name)).status).toBe(200)
    expect(await loadedModels(server)).toEqual(['m', 'small'])
  })
})

it('models that share a concurrency group are not loaded side by side', async () => {
  await using server = await startTestServer()
  await server.model('a', {}, { concurrency_groups: ['gpu'] })
  await server.model('b', {}, { concurrency_groups: ['gpu', 'more'] })
  await server.model('c')
  for (const name of ['a', 'c', 'b']) expect((await server.chat(name)).status).toBe(200)
  expect(await loadedModels(server)).toEqual(['b', 'c'])
})

describe('watchdogs', () => {
  it('stop a model that lies idle, from the moment the setting says so', async () => {
    await using server = await startTestServer({ flags: ['--watchdog-interval=50ms'] })
    await server.model('m')
    expect((await server.chat('m')).status).toBe(200)
    expect(await loadedModels(server)).toEqual(['m'])
    await server.post('/api/settings', { watchdog_idle_enabled: true, watchdog_idle_timeout: '1ms' })
    await eventually(async () => expect(await loadedModels(server)).toEqual([]))
    expect((await server.chat('m')).status).toBe(200)
  })

  it('aborts a call that takes too long together with its backend, and nothing else', async () => {
    await using server = await startTestServer({ flags: ['--watchdog-interval=50ms'] })
    await server.model('stuck', { rules: [{ rpc: 'Predict', do: { hang: true } }] })
    await server.model('fine')
    for (const model of ['stuck', 'fine']) expect((await server.post('/backend/load', { model })).status).toBe(200)
    await server.post('/api/settings', { watchdog_busy_enabled: true, watchdog_busy_timeout: '100ms' })
    const reply = await server.chat('stuck')
    expect(reply.status).toBeGreaterThanOrEqual(500)
    await eventually(async () => expect(await loadedModels(server)).toEqual(['fine']))
  })

  it('unload a model when memory runs short', async () => {
    await using server = await startTestServer({ flags: ['--watchdog-interval=50ms'] })
    await server.model('m')
    expect((await server.chat('m')).status).toBe(200)
    // any use of memory is above this threshold
    await server.post('/api/settings', { memory_reclaimer_enabled: true, memory_reclaimer_threshold: 0.000001 })
    await eventually(async () => expect(await loadedModels(server)).toEqual([]))
  })
})

describe('--load-to-memory', () => {
  it('loads models at the start, and the server is ready when they are', async () => {
    await using first = await startTestServer()
    await first.model('warm')
    await using server = await startTestServer({
      flags: [`--models-path=${first.modelsPath}`, '--load-to-memory=warm,nobody'],
    })
    await eventually(async () => expect((await server.call('/readyz')).status).toBe(200))
    expect(await loadedModels(server)).toEqual(['warm'])
    expect(server.logLines.some((line) => line.includes('model to load at start does not exist'))).toBe(true)
  })

  it('says that it is starting meanwhile, and takes requests all the same', async () => {
    await using first = await startTestServer()
    await first.model('slow', { rules: [{ rpc: 'LoadModel', do: { hang: true } }] })
    await first.model('m')
    await using server = await startTestServer({
      flags: [`--models-path=${first.modelsPath}`, '--load-to-memory=slow'],
    })
    const ready = await server.call('/readyz')
    expect([ready.status, ready.json()]).toEqual([503, { status: 'starting', reason: 'startup preload in progress' }])
    expect((await server.call('/healthz')).status).toBe(200)
    expect((await server.chat('m')).status).toBe(200)
  })
})
