import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const TEXT = `# The model of the house.
name: house # a name
backend: mock
known_usecases: [chat]
template: {use_tokenizer_template: true}

# Where its weights are.
parameters:
  model: x.bin
  temperature: 0.5 # warm
unknown_key:
  - kept
options:
  - a:b
roles:
  user: "USER: "
`

describe('the configuration of a model over HTTP', () => {
  verifies('model-admin:models:config-patch', 'changes keys and leaves everything else as it is', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('house.yaml', TEXT)
    const path = '/api/models/config-json/house'
    const patch = (body: unknown) =>
      server.call(path, {
        method: 'PATCH',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    const reply = await patch({ parameters: { temperature: 0.9, top_k: 3 }, description: 'new', roles: { user: 'U' } })
    expect([reply.status, reply.json()]).toEqual([
      200,
      {
        success: true,
        message: "Model 'house' updated successfully",
        filename: 'house.yaml',
        config_revision: expect.stringMatching(/^[0-9a-f]{16}$/),
        pending_cleanup: 0,
      },
    ])
    const written = await readFile(join(server.modelsPath, 'house.yaml'), 'utf8')
    for (const kept of [
      '# The model of the house.',
      'name: house # a name',
      '# Where its weights are.',
      '# warm',
      '- kept',
    ]) {
      expect(written).toContain(kept)
    }
    const expected = parse(TEXT)
    expect(parse(written)).toEqual({
      ...expected,
      parameters: { model: 'x.bin', temperature: 0.9, top_k: 3 },
      roles: { user: 'U' },
      description: 'new',
    })
    expect((await server.call(path)).json()).toMatchObject({ name: 'house', parameters: { temperature: 0.9 } })
    await patch({ roles: {}, description: null })
    expect(parse(await readFile(join(server.modelsPath, 'house.yaml'), 'utf8'))).not.toHaveProperty('roles')
    expect((await server.chat('house')).status).toBe(200)
  })

  it('is refused whole where the result is not a model, and the file stays', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('house.yaml', TEXT)
    const patch = (body: string, name = 'house') =>
      server.call(`/api/models/config-json/${name}`, {
        method: 'PATCH',
        body,
        headers: { 'content-type': 'application/json' },
      })
    for (const [body, message] of [
      ['', 'request body is empty or unreadable'],
      ['{', 'invalid JSON'],
      ['[]', 'invalid JSON'],
      ['{"name": "other"}', 'cannot be changed here'],
      ['{"context_size": "many"}', 'context_size'],
      ['{"name": "house\\nbackend: evil"}', 'cannot be changed here'],
    ] as const) {
      const reply = await patch(body)
      expect([reply.status, reply.json()], body).toMatchObject([400, { error: expect.stringContaining(message) }])
    }
    expect(await readFile(join(server.modelsPath, 'house.yaml'), 'utf8')).toBe(TEXT)
    const missing = await patch('{}', 'none')
    expect([missing.status, missing.json()]).toMatchObject([404, { error: 'model configuration not found' }])
    expect((await patch('{}', '..%2f..%2fetc')).status).toBe(400)
  })

  verifies('errors:status:conflict', 'that exists already is 409 for an import, an edit and a copy', async () => {
    await using server = await startTestServer()
    const post = (path: string, body: string) => server.call(path, { method: 'POST', body })
    await server.writeModelFile('house.yaml', TEXT)
    await server.writeModelFile('home.yaml', TEXT.replace('name: house', 'name: home'))
    const error = expect.stringContaining('a model named "house" exists already')
    for (const reply of [
      await post('/models/import', TEXT),
      await post('/models/edit/home', TEXT),
      await server.post('/api/copy', { source: 'home', destination: 'house' }),
    ]) {
      expect([reply.status, reply.json()]).toMatchObject([409, { error }])
    }
    expect((await readdir(server.modelsPath)).sort()).toEqual(['home.yaml', 'house.yaml'])
  })

  it('is written by an import, replaced by an edit, and renamed by another name in it', async () => {
    await using server = await startTestServer()
    const post = (path: string, body: string) => server.call(path, { method: 'POST', body })
    const imported = await post('/models/import', TEXT)
    expect([imported.status, imported.json()]).toEqual([
      200,
      {
        success: true,
        message: 'Model configuration created successfully',
        filename: 'house.yaml',
        config_revision: expect.stringMatching(/^[0-9a-f]{16}$/),
        pending_cleanup: 0,
      },
    ])
    const { config_revision } = imported.json() as { config_revision: string }
    for (const path of ['/models/edit/house', '/api/models/edit/house']) {
      const reply = await server.call(path)
      expect(reply.json()).toEqual({ config: TEXT, name: 'house', filename: 'house.yaml', config_revision })
      expect(reply.headers.etag).toBe(`"${config_revision}"`)
    }
    expect((await server.call('/models/edit/none')).status).toBe(404)
    expect((await server.call('/models/edit/..%2fhouse')).status).toBe(400)
    expect((await post('/models/import', TEXT)).status).toBe(409)
    expect(
      (await post('/models/import', '{"name": "json", "backend": "mock", "parameters": {"model": "x.bin"}}')).status,
    ).toBe(200)
    for (const body of ['', '   ', 'backend: mock', 'name: ../x\nbackend: mock', 'name: [', '\u0000']) {
      expect((await post('/models/import', body)).status, body).toBe(400)
    }
    expect((await post('/models/edit/house', TEXT.replace('name: house', 'name: json'))).status).toBe(409)
    expect((await post('/models/edit/none', TEXT)).status).toBe(404)
    expect((await post('/models/edit/house', 'name: a/../b')).status).toBe(400)
    const renamed = await post('/models/edit/house', TEXT.replace('name: house', 'name: home'))
    expect(renamed.json()).toMatchObject({ filename: 'home.yaml' })
    expect((await readdir(server.modelsPath)).sort()).toEqual(['home.yaml', 'json.yaml'])
    expect((await server.chat('home')).status).toBe(200)
  })

  it('is not changed where it has another revision than the change is meant for', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('house.yaml', TEXT)
    const read = await server.call('/api/models/config-json/house')
    const match = { 'if-match': String(read.headers.etag), 'content-type': 'application/json' }
    const patch = (body: string, headers: Record<string, string> = match) =>
      server.call('/api/models/config-json/house', { method: 'PATCH', body, headers })
    const changed = await patch('{"pinned": true}')
    expect(changed.status).toBe(200)
    const late = await patch('{"pinned": null}')
    expect([late.status, late.json()]).toMatchObject([
      412,
      { error: 'the model configuration has changed since it was read' },
    ])
    const replace = (revision: string) =>
      server.call('/models/edit/house', { method: 'POST', body: TEXT, headers: { 'if-match': revision } })
    expect((await replace(match['if-match'])).status).toBe(412)
    expect((await server.call('/api/models/config-json/house')).json()).toMatchObject({ pinned: true })
    const { config_revision } = changed.json() as { config_revision: string }
    expect((await replace(`"${config_revision}"`)).status).toBe(200)
    expect((await replace('*')).status).toBe(200)
    expect((await server.call('/api/models/config-json/house')).headers.etag).toBe(match['if-match'])
  })

  it('turns models off and on, pins them, and lists aliases', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('house.yaml', TEXT)
    await server.writeModelFile('alias.yaml', 'name: other\nalias: house\n')
    const put = (path: string) => server.call(path, { method: 'PUT' })
    expect((await put('/models/toggle-state/house/disable')).json()).toMatchObject({ filename: 'house.yaml' })
    expect((await server.chat('house')).status).not.toBe(200)
    await put('/models/toggle-state/house/enable')
    expect((await server.chat('house')).status).toBe(200)
    await put('/models/toggle-pinned/house/pin')
    expect((await server.call('/api/models/config-json/house')).json()).toMatchObject({ pinned: true })
    await put('/models/toggle-pinned/house/unpin')
    expect(await readFile(join(server.modelsPath, 'house.yaml'), 'utf8')).toBe(TEXT)
    expect((await put('/models/toggle-state/house/maybe')).status).toBe(400)
    expect((await put('/models/toggle-state/none/disable')).status).toBe(404)
    expect((await server.call('/api/aliases')).json()).toEqual([{ name: 'other', target: 'house' }])
  })
})
