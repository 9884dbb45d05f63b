import { describe, expect, it } from 'vitest'
import { renderModelSchema } from '../../src/catalog/keys/json-schema.ts'
import { startTestServer } from '../support/server.ts'

describe('facts about models', () => {
  it('say what every model can be asked for, also one that is off', async () => {
    await using server = await startTestServer()
    await server.model('one', {}, { known_usecases: ['chat', 'vad'], pinned: true })
    await server.model('two', {}, { known_usecases: ['3d'], disabled: true, tts: { voice_cloning: true } })
    expect((await server.call('/api/models/capabilities')).json()).toEqual({
      data: [
        { id: 'one', capabilities: ['FLAG_CHAT', 'FLAG_VAD'], backend: 'mock', disabled: false, pinned: true },
        {
          id: 'two',
          capabilities: ['FLAG_CHAT', 'FLAG_3D'],
          backend: 'mock',
          disabled: true,
          pinned: false,
          voice_cloning: true,
        },
      ],
    })
  })

  it('name the parts of realtime conversations', async () => {
    await using server = await startTestServer()
    await server.model(
      'talk',
      {},
      { pipeline: { vad: 'v', transcription: 'w', llm: 'l', tts: 't' }, tts: { voice: 'x' } },
    )
    await server.model('alone', {}, { known_usecases: ['realtime_audio'], pii: { scan_realtime: true } })
    await server.model('text', {}, { known_usecases: ['chat'] })
    const none = { vad: '', transcription: '', llm: '', tts: '', voice: '' }
    expect((await server.call('/api/pipeline-models')).json()).toEqual([
      { name: 'alone', ...none, scanned: true, self_contained: true },
      { name: 'talk', vad: 'v', transcription: 'w', llm: 'l', tts: 't', voice: 'x', scanned: false },
    ])
  })

  it('tell that a model is being loaded, and 404 before and after', async () => {
    await using server = await startTestServer()
    await server.model('slow', { rules: [{ rpc: 'LoadModel', do: { hang: true } }] }, { name: 'org/slow' })
    const status = () => server.call('/api/models/org/slow/load-status')
    expect([(await status()).status, (await server.call('/api/models/none/load-status')).status]).toEqual([404, 404])
    expect((await status()).json()).toMatchObject({ error: { message: 'model "org/slow" is not being loaded' } })
    const chat = server.chat('org/slow')
    const loading = async (): Promise<unknown> => {
      for (;;) {
        const reply = await status()
        if (reply.status === 200) return reply.json()
      }
    }
    expect(await loading()).toEqual({
      model: 'org/slow',
      state: 'loading',
      progress: 0,
      bytes_sent: 0,
      total_bytes: 0,
      file_index: 0,
      total_files: 1,
    })
    await server.post('/backend/shutdown', { model: 'org/slow', force: true })
    expect((await chat).status).toBe(503)
    expect((await status()).status).toBe(404)
  })

  it('list the keys of model files by sections, and the names that they take', async () => {
    await using server = await startTestServer()
    await server.model('one', {}, { known_usecases: ['chat'] })
    const path = '/api/models/config-metadata'
    const { sections } = (await server.call(path)).json() as { sections: { id: string; url: string }[] }
    expect(sections.map(({ id }) => id)).toEqual(expect.arrayContaining(['general', 'engine', 'parameters', 'pii']))
    const all = (await server.call(`${path}?section=all`)).json() as { path: string; order: number }[]
    expect(new Set(all.map((field) => field.path)).size).toBe(all.length)
    const bySection = await Promise.all(
      sections.map(async ({ url }) => (await server.call(url.slice(server.url.length))).json() as typeof all),
    )
    expect(bySection.flat()).toEqual(all)
    expect(all).toContainEqual({
      path: 'parameters.temperature',
      yaml_key: 'temperature',
      section: 'parameters',
      label: 'Temperature',
      go_type: 'float64',
      ui_type: 'float',
      component: 'number',
      order: expect.any(Number),
      description: 'Randomness of sampling. 0 takes the most probable token.',
    })
    expect(all).toContainEqual(
      expect.objectContaining({
        path: 'pipeline.llm',
        component: 'autocomplete',
        autocomplete_provider: 'models:chat',
      }),
    )
    expect((await server.call(`${path}?section=none`)).status).toBe(404)
    const { schema } = (await server.call(path)).json() as { schema: string }
    const reply = await server.call(schema.slice(server.url.length))
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/schema+json'])
    expect(reply.json()).toEqual(JSON.parse(renderModelSchema()))
    const complete = async (provider: string) => (await server.call(`${path}/autocomplete/${provider}`)).json()
    expect(await complete('models')).toEqual({ values: ['one'] })
    expect(await complete('models:chat')).toEqual({ values: ['one'] })
    expect(await complete('models:tts')).toEqual({ values: [] })
    expect(await complete('backends')).toEqual({ values: expect.arrayContaining(['mock']) })
    expect((await server.call(`${path}/autocomplete/none`)).status).toBe(404)
  })
})
