import { mockOptions } from '@svc/backend-mock/script'
import { createDeferred, eventually, startNats, startPostgres } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type MockWorker, startMockWorker } from '../support/mock-worker.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type FormField, makeWav, sendForm } from '../support/sound.ts'

const TOKEN = 'token-of-workers'
const KEY = 'key-of-an-admin'
const ADMIN = { authorization: `Bearer ${KEY}` }
const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
const isThere = postgres.available && nats.available
if (!isThere) console.warn('chats of a cluster are not tried: PostgreSQL or NATS is missing')
const HELLO = { rules: [{ rpc: 'Predict*', do: { text: 'hello' } }] }

/** The answer of a chat. */
interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}

/** Writes the same file on every server. */
function writeModel(server: TestServer, name: string): Promise<void> {
  return server.writeModelFile(`${name}.yaml`, stringify({ name, backend: 'mock', options: mockOptions(HELLO) }))
}

describe.skipIf(!isThere)('a chat with models on workers', () => {
  let server: TestServer
  let worker: MockWorker
  let databaseUrl = ''
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<TestServer> => {
    if (!postgres.available || !nats.available) throw new Error('an engine is missing')
    if (databaseUrl === '') databaseUrl = await postgres.createDatabase()
    return startTestServer({
      flags: ['--distributed', '--auth-enabled', `--api-keys=${KEY}`, '--auth-rate-limit=0'],
      env: {
        SVC_AUTH_DATABASE_URL: databaseUrl,
        SVC_AUTH_HMAC_SECRET: 'one secret of all servers of this test',
        SVC_NATS_URL: nats.url,
        SVC_NATS_SERVICE_JWT: nats.service.jwt,
        SVC_NATS_SERVICE_SEED: nats.service.seed,
        SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
        SVC_REGISTRATION_TOKEN: TOKEN,
        SVC_AUTO_APPROVE_NODES: 'true',
        SVC_DISTRIBUTED_SHARED_MODELS: 'true',
        SVC_EXPOSE_NODE_HEADER: 'true',
        ...env,
      },
    })
  }
  const startWorker = (name: string): Promise<MockWorker> =>
    startMockWorker(server, { natsUrl: nats.available ? nats.url : '', name, token: TOKEN, folder: server.folder })
  const chat = (model: string, extra: Record<string, unknown> = {}) => server.chat(model, extra, ADMIN)

  beforeAll(async () => {
    server = await start()
  })
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]()
    await server?.close()
    await nats[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  // verifies errors:status:cluster-full
  it('is refused while there is no worker', async () => {
    await server.model('m', HELLO)
    const reply = await chat('m')
    expect([reply.status, reply.json()]).toMatchObject([
      503,
      { error: { message: 'no healthy node for model "m": there are no workers' } },
    ])
    expect(reply.headers['retry-after']).toBe('5')
  })

  const message = 'no healthy node for model "m": there are no workers'
  const messages = [{ role: 'user', content: 'x' }]
  // verifies errors:status:cluster-full
  it.each([
    ['/v1/messages', { max_tokens: 9, messages }, { type: 'error', error: { type: 'api_error', message } }],
    ['/v1/responses', { input: 'x' }, { error: { type: 'server_error', message, code: '', param: '' } }],
    ['/v1/rerank', { query: 'x', documents: ['y'] }, { error: { code: 503, type: 'server_error', message }, message }],
    [
      '/v1/text-to-speech/x?model_id=m',
      { text: 'x', model_id: 'm' },
      { detail: { status: 'no_healthy_node', message } },
    ],
    ['/api/chat', { messages, stream: false }, { error: message }],
    ['/v1/chat/completions', { messages, stream: true }, { error: { message } }],
  ])('is refused in the format of %s', async (path, body, expected) => {
    await server.model('m', HELLO, { known_usecases: ['chat', 'rerank', 'tts'] })
    const reply = await server.post(path, { model: 'm', ...body }, ADMIN)
    expect([reply.status, reply.headers['retry-after'], reply.json()]).toMatchObject([503, '5', expected])
  })

  // verifies system:vram:distributed
  it('loads the model on a worker once, and answers', async () => {
    worker = await startWorker('w1')
    const replies = await Promise.all([chat('m'), chat('m'), chat('m')])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(replies[0]?.json()).toMatchObject({ choices: [{ message: { content: 'hello' } }] })
    expect(replies.map(({ headers }) => headers['x-localai-node'])).toEqual(['w1', 'w1', 'w1'])
    expect(worker.installs).toEqual(['m#0'])
    expect((await server.call('/system', { headers: ADMIN })).json()).toMatchObject({
      loaded_models: [{ id: 'm', backend: 'mock' }],
    })
    expect((await server.call('/system', { headers: ADMIN })).text).not.toContain('size_vram')
    expect((await server.call('/api/ps', { headers: ADMIN })).json()).toMatchObject({
      models: [{ name: 'm:latest', size_vram: 0 }],
    })
  })

  // verifies errors:status:node-selector
  it('is refused when the rules of the model exclude every worker', async () => {
    await server.model('picky', HELLO)
    const body = { model_name: 'picky', node_selector: { tier: 'none' } }
    expect((await server.post('/api/nodes/scheduling', body, ADMIN)).status).toBe(200)
    await eventually(async () => expect((await chat('picky')).status).toBe(503))
    expect((await chat('picky')).text).toContain('no healthy node')
    expect(worker.installs).not.toContain('picky#0')
  })

  it('goes on after its process died', async () => {
    worker.running.get('m#0')?.child.kill('SIGKILL')
    await eventually(() => expect(worker.running.has('m#0')).toBe(false))
    expect((await chat('m')).status).toBe(200)
    expect(worker.installs).toEqual(['m#0', 'm#0'])
  })

  it('gets a new process after the configuration has changed', async () => {
    const before = worker.running.get('m#0')?.address
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'good bye' } }] })
    await eventually(async () =>
      expect((await chat('m')).json()).toMatchObject({ choices: [{ message: { content: 'good bye' } }] }),
    )
    expect(worker.running.get('m#0')?.address).not.toBe(before)
  })

  it('tells why a model cannot be loaded, and waits before the next try', async () => {
    await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { refuse: 'weights are torn' } }] })
    const reply = await chat('broken')
    expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('weights are torn')])
    await eventually(() => expect(worker.running.has('broken#0')).toBe(false))
    const next = await chat('broken')
    expect([next.status, next.text]).toEqual([503, expect.stringContaining('cooldown')])
  })

  // verifies operation:field:nodes, operation:node:status
  it('that leaves does not end the load', async () => {
    const installed = createDeferred<void>()
    worker.hold(installed.promise)
    await server.model('slow', HELLO)
    const leaving = new AbortController()
    const left = fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'x' }] }),
      signal: leaving.signal,
    }).catch((error: unknown) => error)
    await eventually(() => expect(worker.installs).toContain('slow#0'))
    leaving.abort()
    await left
    const operations = () => server.call('/api/operations', { headers: ADMIN })
    await eventually(async () =>
      expect((await operations()).json()).toMatchObject({
        operations: [
          {
            fullName: 'slow',
            taskType: 'staging',
            nodeName: 'w1',
            nodes: [{ node_name: 'w1', status: 'Worker busy', percentage: 0 }],
          },
        ],
      }),
    )
    installed.resolve()
    await eventually(async () =>
      expect((await server.call('/api/nodes/models', { headers: ADMIN })).json()).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ model_name: 'slow', state: 'loaded' })]),
      ),
    )
    expect((await chat('slow')).status).toBe(200)
    expect(worker.installs.filter((key) => key === 'slow#0')).toHaveLength(1)
  })

  it('is stopped with its replicas by name', async () => {
    const reply = await server.post('/backend/shutdown', { model: 'slow' }, ADMIN)
    expect(reply.status).toBe(200)
    await eventually(() => expect(worker.running.has('slow#0')).toBe(false))
  })

  it('gets the files of a request, also with a shared folder of models', async () => {
    await server.model('hears', {}, { known_usecases: ['transcript'] })
    const fields: FormField[] = [
      ['model', 'hears'],
      ['file', { name: 'talk.wav', bytes: makeWav(1) }],
    ]
    const reply = await sendForm(server, '/v1/audio/transcriptions', fields, ADMIN)
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('mocked transcription')])
    const asked = server.records('hears').find(({ rpc, event }) => rpc === 'AudioTranscription' && event === 'start')
    expect(asked?.request).toMatchObject({ dst: expect.stringContaining(`${worker.stagingFolder}/`) })
  })

  it('would take the place of a model of its concurrency groups, and needs no room for shared files', async () => {
    for (const name of ['g1', 'g2']) await server.model(name, HELLO, { concurrency_groups: ['g'] })
    expect((await chat('g1')).status).toBe(200)
    const placement = await server.call('/api/nodes/placement?model=g2&size_bytes=90000000000', { headers: ADMIN })
    expect(placement.json()).toMatchObject({
      decision: 'chosen',
      nodes: [{ possible: true, refusals: [], warnings: [], evictions: [{ model_name: 'g1' }] }],
    })
  })

  describe('that is edited', () => {
    let [one, two] = [undefined, undefined] as unknown as [TestServer, TestServer]
    const say = (text: string) => mockOptions({ rules: [{ rpc: 'Predict*', do: { text } }] })
    const edit = async (name: string, change: object) => {
      const body = JSON.stringify(change)
      const headers = { ...ADMIN, 'content-type': 'application/json' }
      return one.call(`/api/models/config-json/${name}`, { method: 'PATCH', headers, body })
    }
    const answers = async (name: string) =>
      Promise.all(
        [two, one].map(async (each) => {
          const reply = await each.chat(name, {}, ADMIN)
          return reply.status === 200 ? (reply.json() as Answer).choices[0]?.message.content : reply.text
        }),
      )
    beforeAll(async () => {
      const env = { SVC_DISTRIBUTED_SHARED_MODELS: 'false' }
      one = await start(env)
      two = await start(env)
    })
    afterAll(async () => {
      await one?.close()
      await two?.close()
    })

    it('is answered by no old process at any front end', async () => {
      await one.writeModelFile('edited.yaml', stringify({ name: 'edited', backend: 'mock', options: say('0') }))
      await one.post('/models/reload', {}, ADMIN)
      await eventually(async () => expect(await answers('edited')).toEqual(['0', '0']))
      for (const text of ['1', '2']) {
        const reply = await edit('edited', { options: say(text) })
        expect([reply.status, reply.json()]).toMatchObject([
          200,
          { success: true, pending_cleanup: expect.any(Number) },
        ])
        expect(await answers('edited')).toEqual([text, text])
      }
    })

    it('waits for the requests of its old process', async () => {
      await edit('edited', { options: mockOptions({ rules: [{ rpc: 'PredictStream', do: { hang: 1 } }] }) })
      const leaving = new AbortController()
      const stream = await fetch(`${two.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...ADMIN, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'edited', messages, stream: true }),
        signal: leaving.signal,
      })
      expect((await stream.body?.getReader().read())?.done).toBe(false)
      const child = worker.running.get('edited#0')?.child
      expect((await edit('edited', { options: say('3') })).json()).toMatchObject({ success: true, pending_cleanup: 1 })
      const next = answers('edited')
      expect(child?.exitCode ?? child?.signalCode).toBe(null)
      leaving.abort()
      expect(await next).toEqual(['3', '3'])
      expect(child?.signalCode).toBe('SIGKILL')
    })

    it('keeps the place of a process that its worker does not end', async () => {
      const before = worker.running.get('edited#0')?.child
      worker.lie(true)
      expect((await edit('edited', { options: say('4') })).json()).toMatchObject({ success: true, pending_cleanup: 1 })
      expect(worker.running.get('edited#0')?.child).toBe(before)
      worker.lie(false)
      expect(await answers('edited')).toEqual(['4', '4'])
    })

    it('leaves no process behind when it is renamed or deleted', async () => {
      const body = stringify({ name: 'renamed', backend: 'mock', options: say('4') })
      const headers = { ...ADMIN, 'content-type': 'application/yaml' }
      expect((await one.call('/models/edit/edited', { method: 'POST', headers, body })).status).toBe(200)
      await eventually(() => expect(worker.running.has('edited#0')).toBe(false))
      expect(await answers('renamed')).toEqual(['4', '4'])
      expect((await two.chat('edited', {}, ADMIN)).status).toBe(404)
      expect((await one.post('/api/models/delete/renamed', {}, ADMIN)).status).toBe(200)
      await eventually(() => expect(worker.running.has('renamed#0')).toBe(false))
    })
  })

  it('is loaded once by two front ends, and each sees the requests of the other', async () => {
    await using other = await start()
    await Promise.all([server, other].map((each) => writeModel(each, 'two')))
    const begun = [chat('two'), other.chat('two', {}, ADMIN)]
    expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 200])
    expect(worker.installs.filter((key) => key === 'two#0')).toHaveLength(1)
  })

  it('is let go when its time is over', async () => {
    const body = { model: 'two', messages, stream: false, keep_alive: 0 }
    expect((await server.post('/api/chat', body, ADMIN)).status).toBe(200)
    await eventually(() => expect(worker.running.has('two#0')).toBe(false))
  })

  it('is loaded by another front end when the one that began it ends', async () => {
    await using other = await start()
    const first = await start()
    await Promise.all([other, first].map((each) => writeModel(each, 'kept')))
    const installed = createDeferred<void>()
    worker.hold(installed.promise)
    const lost = first.chat('kept', {}, ADMIN).catch((error: unknown) => error)
    await eventually(() => expect(worker.installs).toContain('kept#0'))
    const waiting = other.chat('kept', {}, ADMIN)
    await first.close()
    await lost
    installed.resolve()
    expect((await waiting).status).toBe(200)
    expect(worker.running.has('kept#0')).toBe(true)
  })

  it('moves to another worker when its worker is gone', async () => {
    expect((await chat('m')).headers['x-localai-node']).toBe('w1')
    await using next = await startWorker('w2')
    await worker.die()
    const reply = await chat('m')
    expect([reply.status, reply.headers['x-localai-node']]).toEqual([200, 'w2'])
    expect(next.installs).toEqual(['m#0'])
    expect((await server.call('/api/nodes', { headers: ADMIN })).json()).toMatchObject([
      { name: 'w1', status: 'unhealthy' },
      { name: 'w2', status: 'healthy' },
    ])
  })

  it('is refused without the bus unless it is loaded', async () => {
    await server.model('cold', HELLO)
    await nats[Symbol.asyncDispose]()
    await eventually(async () => expect((await server.call('/readyz')).text).toContain('nats'))
    const reply = await chat('cold')
    expect([reply.status, reply.headers['retry-after'], reply.text]).toEqual([
      503,
      '5',
      expect.stringContaining('no healthy node for model \\"cold\\": the message bus is not connected'),
    ])
  })
})
