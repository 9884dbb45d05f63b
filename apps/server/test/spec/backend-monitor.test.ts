import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawRequest } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

/** Lists loaded models from the system endpoint. */
async function loadedModels(server: TestServer): Promise<readonly string[]> {
  const { loaded_models: loaded } = (await server.call('/system')).json() as { loaded_models: { id: string }[] }
  return loaded.map(({ id }) => id)
}

/** Creates a request with a JSON body for any method. */
function withBody(body: string): RawRequest {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { headers, body }
}

const PARTS = ['ears', 'words', 'mind', 'voice', 'noise', 'face']
const PIPELINE = {
  vad: 'ears',
  transcription: 'words',
  llm: 'mind',
  tts: 'voice',
  sound_detection: 'noise',
  voice_recognition: { model: 'face' },
}
const MISSING = { 'model query parameter is required': 'GET', 'model is required': 'POST' } as const

describe('POST /backend/load', () => {
  verifies(
    [
      'load:route:both-paths',
      'load:route:blocks',
      'load:reply:resident-names',
      'load:model:own-backend',
      'residency:load:endpoint',
    ],
    'loads a model and answers when it is resident',
    async () => {
      await using server = await startTestServer()
      for (const path of ['/backend/load', '/v1/backend/load']) {
        const name = path.startsWith('/v1') ? 'b' : 'a'
        await server.model(name, { rules: [{ rpc: 'LoadModel', do: { delayMs: 50 } }] })
        const reply = await server.post(path, { model: name })
        expect([reply.status, reply.json()]).toEqual([200, { loaded: [name], message: 'model loaded' }])
      }
      expect(await loadedModels(server)).toEqual(['a', 'b'])
      expect(server.records('a').filter(({ rpc }) => rpc.startsWith('Predict'))).toEqual([])
      expect((await server.post('/backend/load', { model: 'a' })).json()).toEqual({
        loaded: ['a'],
        message: 'model loaded',
      })
      const loads = server.records('a').filter(({ rpc, event }) => rpc === 'LoadModel' && event === 'start')
      expect(loads).toHaveLength(1)
    },
  )

  verifies(
    ['load:pipeline:sub-models', 'model-file:pipeline:sub-models'],
    'loads all models of a realtime pipeline',
    async () => {
      await using server = await startTestServer()
      for (const name of PARTS) await server.model(name)
      await server.model('talk', {}, { backend: undefined, pipeline: PIPELINE })
      const reply = await server.post('/backend/load', { model: 'talk' })
      expect([reply.status, reply.json()]).toEqual([200, { loaded: PARTS, message: 'model loaded' }])
      expect([...(await loadedModels(server))].sort()).toEqual([...PARTS].sort())
    },
  )

  it('loads the models of a pipeline at the same time, and gives them up when they are stopped', async () => {
    await using server = await startTestServer()
    for (const name of PARTS) await server.model(name, { rules: [{ rpc: 'LoadModel', do: { hang: true } }] })
    await server.model('talk', {}, { pipeline: PIPELINE })
    const loading = server.post('/backend/load', { model: 'talk' })
    const begun = (name: string) => server.records(name).some(({ rpc }) => rpc === 'LoadModel')
    await eventually(() => expect(PARTS.filter(begun)).toEqual(PARTS))
    for (const name of PARTS) {
      const stopped = await server.post('/backend/shutdown', { model: name })
      expect(stopped.status).toBe(200)
    }
    const reply = await loading
    expect([reply.status, reply.json()]).toMatchObject([500, { loaded: [] }])
  })

  it('lists the loaded models of a pipeline when the rest failed', async () => {
    await using server = await startTestServer()
    await server.model('mind')
    await server.model('voice', {}, { backend: 'not-there' })
    await server.model('talk', {}, { pipeline: { llm: 'mind', tts: 'voice', vad: 'nobody' } })
    const reply = await server.post('/backend/load', { model: 'talk' })
    expect(reply.status).toBe(500)
    const message = expect.stringMatching(
      /^failed to load model: nobody: model "nobody" does not exist; voice: could not load model "voice": backend "not-there" is not installed/,
    )
    expect(reply.json()).toEqual({
      error: { code: 500, message, type: 'server_error', param: null },
      loaded: ['mind'],
      message,
    })
    expect(await loadedModels(server)).toEqual(['mind'])
  })

  it('keeps the status of temporary failures: a cooldown is 503', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'LoadModel', do: { refuse: 'out of memory' } }] })
    const first = await server.post('/backend/load', { model: 'm' })
    expect(first.status).toBe(500)
    const second = await server.post('/backend/load', { model: 'm' })
    expect([second.status, second.headers['retry-after'], second.json()]).toMatchObject([503, '10', { loaded: [] }])
  })

  it('loads the target of an alias, and no disabled model', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.writeModelFile('short.yaml', 'name: short\nalias: m\n')
    await server.model('off', {}, { disabled: true })
    expect((await server.post('/backend/load', { model: 'short' })).json()).toMatchObject({ loaded: ['m'] })
    const refused = await server.post('/backend/load', { model: 'off' })
    expect([refused.status, refused.json()]).toMatchObject([403, { loaded: [] }])
  })

  it('does not count as use: the model has no idle clock yet', async () => {
    await using server = await startTestServer({
      flags: ['--enable-watchdog-idle', '--watchdog-idle-timeout=1ms', '--watchdog-interval=50ms'],
    })
    await server.model('m')
    await server.model('other')
    await server.post('/backend/load', { model: 'm' })
    await server.chat('other')
    await eventually(async () => expect(await loadedModels(server)).toEqual(['m']))
  })
})

describe('GET /backend/monitor', () => {
  verifies(
    ['monitor:route:both-paths', 'monitor:query:model'],
    'shows state and memory as the backend tells them',
    async () => {
      await using server = await startTestServer()
      await server.model('m')
      await server.chat('m')
      for (const path of ['/backend/monitor', '/v1/backend/monitor']) {
        const reply = await server.call(`${path}?model=m`)
        expect(reply.status).toBe(200)
        expect(reply.json()).toMatchObject({ state: 2, memory: { total: expect.any(Number) } })
      }
    },
  )

  verifies('monitor:query:body', 'takes the model from a JSON body when the query names none', async () => {
    await using server = await startTestServer()
    for (const name of ['a', 'b']) {
      await server.model(name)
      await server.chat(name)
    }
    const byBody = await server.call('/backend/monitor', withBody('{"model":"a"}'))
    expect(byBody.status).toBe(200)
    const before = server.records('a').filter(({ rpc }) => rpc === 'Status').length
    expect((await server.call('/backend/monitor?model=b', withBody('{"model":"a"}'))).status).toBe(200)
    expect(server.records('b').some(({ rpc }) => rpc === 'Status')).toBe(true)
    expect(server.records('a').filter(({ rpc }) => rpc === 'Status')).toHaveLength(before)
  })

  it('shows the process of a backend that cannot tell', async () => {
    await using server = await startTestServer()
    await server.model('m', { without: ['Status'] })
    await server.chat('m')
    const { state, memory } = (await server.call('/backend/monitor?model=m')).json() as {
      state: number
      memory: { total: number; breakdown: Record<string, number> }
    }
    expect(state).toBe(-1)
    expect(Object.keys(memory.breakdown)).toEqual(['rss'])
    expect(memory.breakdown.rss).toBeGreaterThan(1_000_000)
    expect(memory.total).toBeGreaterThan(memory.breakdown.rss ?? 0)
  })

  it('neither loads a model nor keeps it from lying idle', async () => {
    await using server = await startTestServer()
    await server.model('m')
    expect((await server.call('/backend/monitor?model=m')).status).toBe(500)
    expect(await loadedModels(server)).toEqual([])
  })
})

describe('POST /backend/shutdown', () => {
  verifies(
    ['shutdown:route:stops', 'residency:stop:endpoint'],
    'stops the backend of a model; its next request loads it again',
    async () => {
      await using server = await startTestServer()
      await server.model('m')
      for (const path of ['/backend/shutdown', '/v1/backend/shutdown']) {
        expect((await server.chat('m')).status).toBe(200)
        const pid = server.records('m').at(-1)?.pid ?? 0
        const reply = await server.post(path, { model: 'm' })
        expect([reply.status, reply.json()]).toEqual([200, { message: 'model stopped' }])
        expect(await loadedModels(server)).toEqual([])
        expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      }
    },
  )

  it('waits for running calls', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'PredictStream', do: { pieces: ['a', 'b'], pieceDelayMs: 150 } }] })
    await server.post('/backend/load', { model: 'm' })
    const chat = server.chat('m', { stream: true })
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc === 'PredictStream')).toBe(true))
    expect((await server.post('/backend/shutdown', { model: 'm' })).status).toBe(200)
    expect((await chat).text).toContain('[DONE]')
  })
})

/** The clocks of the machine, with long waits cut short. */
const hurriedClock = {
  ...systemClock,
  sleep: (ms: number, options: { readonly signal: AbortSignal }) =>
    systemClock.sleep(ms >= 5000 && ms <= 30_000 ? 300 : ms, options),
}

describe('a backend that hangs', () => {
  const HANGS = { rules: [{ rpc: 'Predict*', do: { hang: true } }] }

  /** A server with a model whose process is frozen, and a call that it does not answer. */
  async function startHung(freezes: boolean) {
    const server = await startTestServer({ clock: hurriedClock })
    await server.model('m', HANGS)
    const chat = server.chat('m')
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    const pid = server.records('m').at(-1)?.pid ?? 0
    if (freezes) process.kill(pid, 'SIGSTOP')
    return { server, chat, pid }
  }

  verifies('shutdown:busy:advice', 'is not stopped under its calls, and the answer says how it can be', async () => {
    const { server, chat } = await startHung(false)
    const reply = await server.post('/backend/shutdown', { model: 'm' })
    const message =
      'model "m" is busy: 1 call runs for longer than 30 s; send "force": true to stop it and end its calls'
    expect([reply.status, reply.json()]).toMatchObject([500, { error: { message } }])
    expect(await loadedModels(server)).toEqual(['m'])
    await server.close()
    await chat.catch(() => undefined)
  })

  verifies('shutdown:force:ends-calls', 'is stopped with its calls where that is asked for', async () => {
    const { server, chat, pid } = await startHung(false)
    await using _ = server
    const reply = await server.post('/backend/shutdown', { model: 'm', force: true })
    const message = expect.stringMatching(/^model stopped: 1 running call was ended/)
    expect([reply.status, reply.json()]).toEqual([200, { message }])
    expect((await chat).status).toBeGreaterThanOrEqual(500)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  verifies('shutdown:reply:how', 'is killed when it takes no notice, and the answer says so', async () => {
    const { server, chat, pid } = await startHung(true)
    await using _ = server
    const reply = await server.post('/v1/backend/shutdown', { model: 'm', force: true })
    const message =
      'model stopped: 1 running call was ended; its backend did not end when it was asked to, and was killed'
    expect([reply.status, reply.json()]).toEqual([200, { message }])
    expect((await chat).status).toBeGreaterThanOrEqual(500)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('without a call is killed too', async () => {
    await using server = await startTestServer({ clock: hurriedClock })
    await server.model('m')
    await server.chat('m')
    process.kill(server.records('m').at(-1)?.pid ?? 0, 'SIGSTOP')
    expect((await server.post('/backend/shutdown', { model: 'm' })).json()).toEqual({
      message: 'model stopped: its backend did not end when it was asked to, and was killed',
    })
    expect((await server.chat('m')).status).toBe(200)
  })

  it.each([['true'], [1], [{}]])('is not stopped for a force of %j', async (force) => {
    await using server = await startTestServer()
    await server.model('m')
    expect((await server.post('/backend/shutdown', { model: 'm', force })).status).toBe(400)
  })
})

describe('models that consist of others, or of nothing', () => {
  verifies('shutdown:pipeline:sub-models', 'a stopped pipeline takes its loaded models with it', async () => {
    await using server = await startTestServer()
    for (const name of PARTS) await server.model(name)
    await server.model('other')
    await server.model('talk', {}, { backend: undefined, pipeline: PIPELINE })
    for (const model of ['other', 'mind', 'voice']) await server.post('/backend/load', { model })
    const stop = () => server.post('/backend/shutdown', { model: 'talk' })
    expect((await stop()).json()).toEqual({ message: 'model stopped' })
    expect(await loadedModels(server)).toEqual(['other'])
    const again = await stop()
    expect([again.status, again.json()]).toMatchObject([500, { error: { message: 'model "talk" is not loaded' } }])
  })

  const YAML: Readonly<Record<string, string>> = {
    'a detector': 'backend: pattern\npii_detection:\n  default_action: mask\n  builtins: [email]\n',
    'a router': 'router:\n  fallback: m\n  candidates:\n  - model: m\n    labels: [a]\n',
    'a model of nothing': 'description: nothing\n',
    'a pipeline of nothing': 'pipeline: {}\n',
  }

  verifies('load:error:nothing-to-load', 'what no backend serves is 400, and starts none', async () => {
    await using server = await startTestServer()
    await server.model('m')
    for (const [what, yaml] of Object.entries(YAML)) {
      await server.writeModelFile('x.yaml', `name: x\n${yaml}`)
      for (const path of ['/backend/load', '/v1/backend/load']) {
        const reply = await server.post(path, { model: 'x' })
        expect([what, reply.status, reply.json()]).toMatchObject([
          what,
          400,
          { error: { type: 'invalid_request_error', param: 'model', message: expect.stringMatching(/^model "x" /) } },
        ])
      }
    }
    expect(await loadedModels(server)).toEqual([])
    await server.writeModelFile('talk.yaml', 'name: talk\npipeline:\n  llm: m\n  vad: x\n')
    const reply = await server.post('/backend/load', { model: 'talk' })
    expect([reply.status, reply.json()]).toMatchObject([400, { loaded: ['m'] }])
  })
})

describe('errors of the three', () => {
  verifies(
    ['monitor:error:name', 'errors:status:model-not-found-400', 'versioning:prefix:backend-routes'],
    'a missing, unknown or impossible name is 400',
    async () => {
      await using server = await startTestServer()
      const posts = ['/backend/load', '/backend/shutdown', '/v1/backend/load', '/v1/backend/shutdown']
      for (const [message, method] of Object.entries(MISSING)) {
        const paths = method === 'GET' ? ['/backend/monitor', '/v1/backend/monitor'] : posts
        for (const path of paths) {
          const ask = (body?: unknown) =>
            server.call(path, { method, ...(body === undefined ? {} : withBody(JSON.stringify(body))) })
          for (const body of [undefined, {}, { model: '' }, { model: null }]) {
            const reply = await ask(body)
            expect([reply.status, reply.json()], path).toMatchObject([
              400,
              { error: { code: 400, message, param: 'model' } },
            ])
          }
          for (const model of ['nobody', '../../etc/passwd', 'a\u0000b']) {
            expect((await ask({ model })).status, `${path} ${model}`).toBe(400)
          }
          const wrong = await ask({ model: 5 })
          expect([wrong.status, wrong.json()]).toMatchObject([
            400,
            { error: { message: expect.stringMatching(/^failed parsing request body: model: /) } },
          ])
        }
      }
      const broken = await server.call('/backend/load', { method: 'POST', body: '{"model":' })
      expect([broken.status, broken.json()]).toMatchObject([
        400,
        { error: { message: expect.stringMatching(/^failed parsing request body: /) } },
      ])
    },
  )

  verifies('monitor:error:backend', 'a model that is not loaded, or a backend that fails, is 500', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const message = 'model "m" is not loaded'
    for (const reply of [
      await server.call('/backend/monitor?model=m'),
      await server.post('/backend/shutdown', { model: 'm' }),
    ]) {
      expect([reply.status, reply.json()]).toMatchObject([500, { error: { code: 500, message, type: 'server_error' } }])
    }
    await server.model('bad', { rules: [{ rpc: 'LoadModel', do: { refuse: 'out of memory' } }] })
    const failed = await server.post('/backend/load', { model: 'bad' })
    expect([failed.status, failed.json()]).toMatchObject([
      500,
      { loaded: [], message: 'failed to load model: could not load model "bad": out of memory' },
    ])
  })
})
