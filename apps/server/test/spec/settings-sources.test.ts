import { expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

interface Origin {
  readonly key: string
  readonly source: string
  readonly locked_by: string | null
}

async function readOrigins(server: TestServer): Promise<ReadonlyMap<string, Origin>> {
  const { settings } = (await server.call('/api/settings/sources')).json() as { settings: readonly Origin[] }
  return new Map(settings.map((origin) => [origin.key, origin]))
}

it('every setting tells where its value comes from, what locks it, and how it is set', async () => {
  await using server = await startTestServer({
    flags: ['--threads=3', '--api-keys=key-of-the-flag'],
    env: { SVC_CONTEXT_SIZE: '4096' },
    configFiles: { 'runtime_settings.json': JSON.stringify({ cors: true, threads: 9 }) },
  })
  const call = { headers: { authorization: 'Bearer key-of-the-flag' } }
  const reply = await server.call('/api/settings/sources', call)
  expect(reply.text).not.toContain('key-of-the-flag')
  const { settings } = reply.json() as { settings: readonly Origin[] }
  const origins = new Map(settings.map((origin) => [origin.key, origin]))
  const values = (await server.call('/api/settings', call)).json() as object
  expect([...origins.keys()].sort()).toEqual(Object.keys(values).sort())

  expect(origins.get('threads')).toMatchObject({ source: 'flag', locked_by: 'flag', flag: '--threads' })
  expect(origins.get('context_size')).toMatchObject({
    source: 'environment',
    locked_by: 'environment',
    variables: expect.arrayContaining(['SVC_CONTEXT_SIZE']),
  })
  expect(origins.get('cors')).toMatchObject({ source: 'file', locked_by: null, secret: false })
  expect(origins.get('vram_budget')).toMatchObject({ source: 'default', locked_by: null })
  expect(origins.get('logo_file')).toMatchObject({ locked_by: 'branding' })
  expect(origins.get('agent_pool_collection_db_path')).toMatchObject({ locked_by: 'refused' })
  // Saved keys count beside that of the flag.
  expect(origins.get('api_keys')).toMatchObject({ source: 'flag', locked_by: null, secret: true })
})

it('a lock holds: a saved value does not act, and acts where nothing locks it', async () => {
  await using server = await startTestServer({ flags: ['--threads=3'] })
  for (const { key, locked_by } of (await readOrigins(server)).values()) {
    if (key === 'threads') expect(locked_by).toBe('flag')
  }
  await server.post('/api/settings', { threads: 7, f16: true })
  expect((await server.call('/api/settings')).json()).toMatchObject({ threads: 3, f16: true })
  const origins = await readOrigins(server)
  expect([origins.get('threads')?.source, origins.get('f16')?.source]).toEqual(['flag', 'file'])
})

it('is gone with --disable-runtime-settings', async () => {
  await using server = await startTestServer({ flags: ['--disable-runtime-settings'] })
  expect((await server.call('/api/settings/sources')).status).toBe(404)
  expect((await server.call('/api/features')).json()).toMatchObject({ runtime_settings: false })
})
