import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeMockLauncher } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const ids = (reply: { json(): unknown }): string[] =>
  (reply.json() as { data: { id: string }[] }).data.map((model) => model.id)

describe('changes on disk', () => {
  it('a model file written, changed and removed acts on the next request', async () => {
    await using server = await startTestServer()
    expect(ids(await server.call('/v1/models'))).toEqual([])
    await server.model('m', { rules: [{ do: { text: 'first' } }] })
    expect(ids(await server.call('/v1/models'))).toEqual(['m'])
    expect((await server.chat('m')).json()).toMatchObject({ choices: [{ message: { content: 'first' } }] })
    await server.model('m', { rules: [{ do: { text: 'second' } }] })
    expect((await server.chat('m')).json()).toMatchObject({ choices: [{ message: { content: 'second' } }] })
    await rm(join(server.modelsPath, 'm.yaml'))
    expect((await server.chat('m')).status).toBe(404)
    expect(ids(await server.call('/v1/models'))).toEqual([])
  })

  // verifies models:reload:re-reads
  it('POST /models/reload reports files that do not load, and the other models are served', async () => {
    await using server = await startTestServer()
    await server.model('fine')
    await server.writeModelFile('broken.yaml', 'name: broken\nbackend: [unclosed\n')
    await server.writeModelFile('wrong.yaml', 'name: wrong\ncontext_size: many\n')
    const reply = await server.post('/models/reload', {})
    expect(reply.status).toBe(200)
    const { details, ...rest } = reply.json() as { details: string[] }
    expect(rest).toEqual({ success: true, message: 'Model configurations reloaded successfully', pending_cleanup: 0 })
    expect(details.some((line) => /^broken\.yaml:\d/.test(line))).toBe(true)
    expect(details.some((line) => /^wrong\.yaml:2: context_size/.test(line))).toBe(true)
    expect((await server.chat('fine')).status).toBe(200)
    expect(ids(await server.call('/v1/models'))).toEqual(['fine'])
  })

  // verifies flags:config-dir:live
  it('keys in the settings file and in api_keys.json act without a restart', async () => {
    await using server = await startTestServer()
    expect((await server.call('/v1/models')).status).toBe(200)
    await writeFile(join(server.configDir, 'api_keys.json'), '["from-file"]')
    await eventually(async () => expect((await server.call('/v1/models')).status).toBe(401))
    expect((await server.call('/v1/models', { headers: { authorization: 'Bearer from-file' } })).status).toBe(200)
    await writeFile(join(server.configDir, 'runtime_settings.json'), '{"api_keys":["from-settings"]}')
    await eventually(async () =>
      expect((await server.call('/v1/models', { headers: { 'x-api-key': 'from-settings' } })).status).toBe(200),
    )
    await writeFile(join(server.configDir, 'api_keys.json'), '[]')
    await eventually(async () =>
      expect((await server.call('/v1/models', { headers: { authorization: 'Bearer from-file' } })).status).toBe(401),
    )
  })

  // verifies flags:config-dir:vanished-keys
  it('keys of a file that vanishes go on to count: the door never opens by mistake', async () => {
    await using server = await startTestServer({ configFiles: { 'api_keys.json': '["good"]' } })
    await rm(join(server.configDir, 'api_keys.json'))
    await eventually(() => expect(server.logLines.some((line) => line.includes('not there any more'))).toBe(true))
    expect((await server.call('/v1/models')).status).toBe(401)
    expect((await server.call('/v1/models', { headers: { 'x-api-key': 'good' } })).status).toBe(200)
  })

  it('a broken keys file keeps the last good keys: the door never opens by mistake', async () => {
    await using server = await startTestServer({ configFiles: { 'api_keys.json': '["good"]' } })
    await writeFile(join(server.configDir, 'api_keys.json'), '["good", ')
    await eventually(() => expect(server.logLines.some((line) => line.includes('api_keys.json'))).toBe(true))
    expect((await server.call('/v1/models')).status).toBe(401)
    expect((await server.call('/v1/models', { headers: { 'x-api-key': 'good' } })).status).toBe(200)
  })

  it('an external backend named in external_backends.json is used by the next request', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { backend: 'extra' })
    expect((await server.chat('m')).status).toBe(500)
    const launcher = writeMockLauncher({ folder: server.folder, name: 'extra.sh' })
    await writeFile(join(server.configDir, 'external_backends.json'), JSON.stringify({ extra: launcher.path }))
    await eventually(async () =>
      expect((await server.call('/system')).json()).toMatchObject({ backends: expect.arrayContaining(['extra']) }),
    )
    await server.model('n', {}, { backend: 'extra' })
    expect((await server.chat('n')).status).toBe(200)
  })

  it('settings changed over HTTP are saved, masked and in force', async () => {
    await using server = await startTestServer()
    const before = (await server.call('/api/settings')).json() as Record<string, unknown>
    expect(before).toMatchObject({ api_keys: [], enable_tracing: false })
    const saved = await server.post('/api/settings', { api_keys: ['secret-key-1'], instance_name: 'Ours' })
    expect(saved.json()).toEqual({ success: true, message: 'Settings updated successfully' })
    expect((await server.call('/api/settings')).status).toBe(401)
    const after = await server.call('/api/settings', { headers: { 'x-api-key': 'secret-key-1' } })
    expect(after.text).not.toContain('secret-key-1')
    expect((await server.call('/api/branding')).json()).toMatchObject({ instance_name: 'Ours' })
  })

  it('an invalid setting changes nothing', async () => {
    await using server = await startTestServer()
    for (const body of [{ threads: 'many', instance_name: 'x' }, [], 7]) {
      const reply = await server.post('/api/settings', body)
      expect(reply.status).toBe(400)
      expect(reply.json()).toMatchObject({ success: false, error: expect.any(String) })
    }
    expect((await server.call('/api/branding')).json()).not.toMatchObject({ instance_name: 'x' })
  })

  it('--disable-runtime-settings takes the routes away', async () => {
    await using server = await startTestServer({ flags: ['--disable-runtime-settings'] })
    expect((await server.call('/api/settings')).status).toBe(404)
  })
})
