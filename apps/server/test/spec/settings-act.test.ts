import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const change = async (server: TestServer, patch: object): Promise<void> => {
  const reply = await server.post('/api/settings', patch)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
}

describe('settings act without a restart', () => {
  it('cors lets pages of every origin in, unless some are listed', async () => {
    await using server = await startTestServer()
    const allowed = async (origin: string): Promise<unknown> =>
      (await server.call('/version', { headers: { origin } })).headers['access-control-allow-origin']
    expect(await allowed('https://page.example')).toBeUndefined()
    await change(server, { cors: true })
    expect(await allowed('https://page.example')).toBe('*')
    await change(server, { cors_allow_origins: 'https://other.example' })
    expect([await allowed('https://page.example'), await allowed('https://other.example')]).toEqual([
      undefined,
      'https://other.example',
    ])
    await change(server, { cors: false, cors_allow_origins: '' })
    expect(await allowed('https://other.example')).toBeUndefined()
  })

  it('a budget of graphics memory is taken as a share or a size, and anything else changes nothing', async () => {
    await using server = await startTestServer()
    for (const budget of ['80%', '12GB', '']) {
      await change(server, { vram_budget: budget })
      expect((await server.call('/api/settings')).json()).toMatchObject({ vram_budget: budget })
      expect((await server.call('/api/resources')).status).toBe(200)
    }
    const refused = await server.post('/api/settings', { vram_budget: 'half', cors: true })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { success: false, error: 'Invalid vram_budget format: it is not a share such as 80%, or a size such as 12GB' },
    ])
    expect((await server.call('/api/settings')).json()).toMatchObject({ vram_budget: '', cors: false })
  })

  it('many saves at a time lose nothing', async () => {
    await using server = await startTestServer()
    const patches = [
      { threads: 3 },
      { instance_name: 'Lab' },
      { cors: true },
      { max_active_backends: 2 },
      { f16: true },
    ]
    await Promise.all(patches.map((patch) => change(server, patch)))
    expect((await server.call('/api/settings')).json()).toMatchObject(Object.assign({}, ...patches) as object)
  })
})

describe('--request-phase-timing', () => {
  it('logs how long each phase of a request took, under its id', async () => {
    await using server = await startTestServer({ flags: ['--request-phase-timing'] })
    await server.model('m')
    const reply = await server.chat('m')
    const line = server.logLines.find((text) => text.includes('phases of a request')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      requestId: reply.headers['x-correlation-id'],
      phases: {
        body: expect.any(Number),
        pii: expect.any(Number),
        model: expect.any(Number),
        reply: expect.any(Number),
      },
    })
  })
})
