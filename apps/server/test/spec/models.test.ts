import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeMockLauncher } from '@svc/backend-mock/script'
import { tempDir } from '@svc/test-kit'
import { modelCapabilitiesList } from '@svc/wire/openai'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

/** Gives the fields of the log lines with a message. */
function logged(server: TestServer, message: string): Record<string, unknown>[] {
  return server.logLines
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter((fields) => fields.msg === message)
}

const IGNORED = 'model file has a key that is ignored'
const LEGACY_PII = 'name: m\nbackend: mock\npii:\n  patterns: [secret]\n  mode: block\n'

describe('the list of models', () => {
  verifies('models:list:empty', 'is an empty list when there is none', async () => {
    await using server = await startTestServer()
    expect((await server.call('/v1/models')).json()).toEqual({ object: 'list', data: [] })
  })

  verifies(
    ['models:list:both-paths', 'model-file:name:served-under'],
    'has each model under the name in its file, on both paths',
    async () => {
      await using server = await startTestServer()
      await server.writeModelFile('file.yaml', 'name: spoken-name\nbackend: mock\n')
      for (const path of ['/v1/models', '/models']) {
        expect((await server.call(path)).json(), path).toMatchObject({ object: 'list', data: [{ id: 'spoken-name' }] })
      }
      expect((await server.chat('spoken-name')).status).toBe(200)
      expect((await server.chat('file')).status).toBe(404)
    },
  )
})

describe('the list of capabilities', () => {
  verifies(
    ['models:list:default', 'models:list:filtered-and-traced'],
    'names the default model, and says which models filter or are traced',
    async () => {
      await using server = await startTestServer()
      await server.model('a', {}, { known_usecases: ['chat'] })
      await server.model('b', {}, { known_usecases: ['chat'], pii: { enabled: true, detectors: ['d'] } })
      const read = async () => {
        const { data } = (await server.call('/v1/models/capabilities')).json() as { data: Record<string, unknown>[] }
        return data.map(({ id, default: isDefault, filtered, traced }) => [id, isDefault, filtered, traced])
      }
      const set = (body: object) => server.post('/api/settings', body)
      expect(await read()).toEqual([
        ['a', undefined, undefined, undefined],
        ['b', undefined, true, undefined],
      ])
      expect((await set({ default_model: 'b', enable_tracing: true })).status).toBe(200)
      expect(await read()).toEqual([
        ['a', undefined, undefined, true],
        ['b', true, true, true],
      ])
    },
  )

  verifies('models:default:setting', 'the default model answers requests that name none', async () => {
    await using server = await startTestServer()
    await server.model('a', {}, { known_usecases: ['chat'] })
    await server.model('b', {}, { known_usecases: ['chat'] })
    const ask = async () => {
      const messages = [{ role: 'user', content: 'hi' }]
      return ((await server.post('/v1/chat/completions', { messages })).json() as { model: string }).model
    }
    expect(await ask()).toBe('a')
    await server.post('/api/settings', { default_model: 'b' })
    expect(await ask()).toBe('b')
    await server.post('/api/settings', { default_model: 'gone' })
    expect(await ask()).toBe('a')
    expect((await server.post('/api/settings', { default_model: 5 })).status).toBe(400)
  })

  verifies('models:list:empty', 'is an empty list when there is none', async () => {
    await using server = await startTestServer()
    expect((await server.call('/v1/models/capabilities')).json()).toEqual({ object: 'list', data: [] })
  })

  it('lists usecases, inputs and outputs of each model, on both paths, filtered like the list of names', async () => {
    await using server = await startTestServer()
    await server.model('chats', {}, { known_usecases: ['chat'], known_input_modalities: ['image'] })
    const template = {}
    await server.model('embeds', {}, { known_usecases: ['embeddings'], template })
    await server.model('solid', {}, { known_usecases: ['3d'], template })
    const model = { object: 'model', created: expect.any(Number), owned_by: 'svc' }
    const chats = {
      ...model,
      id: 'chats',
      capabilities: ['chat', 'vision'],
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
    }
    const embeds = {
      ...model,
      id: 'embeds',
      capabilities: ['embeddings'],
      input_modalities: ['text'],
      output_modalities: [],
    }
    const solid = {
      ...model,
      id: 'solid',
      capabilities: ['3d'],
      input_modalities: ['image'],
      output_modalities: ['3d'],
    }
    for (const path of ['/v1/models/capabilities', '/models/capabilities']) {
      const reply = await server.call(path)
      expect(reply.json(), path).toEqual({ object: 'list', data: [chats, embeds, solid] })
      expect(modelCapabilitiesList.safeParse(reply.json()).success, path).toBe(true)
      expect((await server.call(`${path}?filter=^emb`)).json()).toEqual({ object: 'list', data: [embeds] })
      expect((await server.call(`${path}?filter=(`)).status).toBe(400)
    }
    const discovery = (await server.call('/.well-known/service.json')).json()
    expect(discovery).toMatchObject({ endpoints: { models_capabilities: '/v1/models/capabilities' } })
  })
})

describe('the backend of a model', () => {
  verifies(
    ['model-file:backend:chosen', 'flags:backends-path:used'],
    'is the one its file names, from the backends path',
    async () => {
      await using server = await startTestServer()
      const folder = join(server.folder, 'backends', 'extra')
      await mkdir(folder, { recursive: true })
      writeMockLauncher({ folder })
      await server.writeModelFile('m.yaml', 'name: m\nbackend: extra\n')
      expect((await server.chat('m')).status).toBe(200)
      expect((await server.call('/system')).json()).toMatchObject({ loaded_models: [{ id: 'm', backend: 'extra' }] })
    },
  )

  verifies('chat:request:backend-ignored', 'is not the one a request names', async () => {
    await using server = await startTestServer()
    await server.model('m')
    expect((await server.chat('m', { backend: 'other' })).status).toBe(200)
    expect((await server.call('/system')).json()).toMatchObject({ loaded_models: [{ id: 'm', backend: 'mock' }] })
  })
})

describe('a model file', () => {
  verifies('model-file:unknown-key:warned', 'with an unknown key is served, with one warning', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('m.yaml', 'name: m\nbackend: mock\nnonsense: 1\n')
    expect((await server.chat('m')).status).toBe(200)
    expect(logged(server, IGNORED)).toMatchObject([{ file: 'm.yaml', line: 3, key: 'nonsense' }])
  })

  verifies('model-file:wrong-type:that-file-alone', 'with a wrong type is refused alone', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('bad.yaml', 'name: bad\nbackend: mock\nthreads: many\n')
    await server.model('good')
    expect((await server.chat('good')).status).toBe(200)
    expect((await server.chat('bad')).status).toBe(404)
    expect(logged(server, 'model file has a problem')).toMatchObject([{ file: 'bad.yaml', line: 3, key: 'threads' }])
  })

  verifies('versioning:legacy-pii:ignored', 'with keys of the former pattern tier is served unfiltered', async () => {
    await using server = await startTestServer()
    await server.writeModelFile('m.yaml', LEGACY_PII)
    const body = { model: 'm', messages: [{ role: 'user', content: 'a secret' }] }
    expect((await server.post('/v1/chat/completions', body)).status).toBe(200)
  })

  verifies('versioning:legacy-pii:warned', 'with keys of the former pattern tier is warned of at start', async () => {
    await using models = await tempDir()
    await writeFile(models.join('m.yaml'), LEGACY_PII)
    await using server = await startTestServer({ flags: [`--models-path=${models.path}`] })
    expect(logged(server, IGNORED)).toMatchObject([
      { file: 'm.yaml', line: 4, key: 'pii.patterns' },
      { file: 'm.yaml', line: 5, key: 'pii.mode' },
    ])
  })
})
