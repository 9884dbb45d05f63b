import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'

const readPid = (server: TestServer, model: string): number => {
  const pid = server.records(model).at(-1)?.pid
  if (pid === undefined) throw new Error('the backend has recorded nothing')
  return pid
}

/** Starts a chat and returns once its stream has begun. */
async function openStream(server: TestServer, model: string, body: Record<string, unknown> = { stream: true }) {
  const url = new URL(server.url)
  let text = ''
  const outgoing = request({
    host: url.hostname,
    port: url.port,
    path: '/v1/chat/completions',
    method: 'POST',
    agent: false,
  })
  const ended = new Promise<string>((resolve) => {
    outgoing.on('response', (incoming) => {
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      incoming.on('close', () => resolve(text))
      incoming.on('error', () => resolve(text))
    })
    outgoing.on('error', () => resolve(text))
  })
  outgoing.end(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body }))
  return { outgoing, ended, text: () => text }
}

describe('failures of a backend', () => {
  // verifies chat:stream:first-failure, errors:status:backend-failure
  it('before the first byte get a real status, streamed or not', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [{ rpc: 'Predict*', do: { failure: { status: 'INTERNAL', message: 'engine broke' } } }],
    })
    for (const stream of [false, true]) {
      const reply = await server.chat('m', { stream })
      expect(reply.status).toBe(500)
      expect(reply.json()).toEqual({
        error: { code: 500, message: 'prediction failed: engine broke', type: 'server_error', param: null },
      })
    }
  })

  it('keep their meaning where a client can act on it, and are never a refusal of its key', async () => {
    await using server = await startTestServer()
    const statuses = [
      ['INVALID_ARGUMENT', 400],
      ['RESOURCE_EXHAUSTED', 429],
      ['UNIMPLEMENTED', 501],
      ['UNAUTHENTICATED', 500],
      ['PERMISSION_DENIED', 500],
      ['DEADLINE_EXCEEDED', 500],
      ['NOT_FOUND', 500],
    ] as const
    await server.model('m', {
      rules: statuses.map(([status], index) => ({
        rpc: 'Predict',
        call: index + 1,
        do: { failure: { status, message: 'x' } },
      })),
    })
    for (const [status, expected] of statuses) expect((await server.chat('m')).status, status).toBe(expected)
  })

  // verifies chat:stream:later-failure
  it('after the first byte travel in the stream, which then ends', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [
        {
          do: {
            pieces: ['one', 'two', 'three'],
            failure: { status: 'INTERNAL', message: 'engine broke', afterPieces: 2 },
          },
        },
      ],
    })
    const events = sseData((await server.chat('m', { stream: true })).text)
    expect(events.slice(-2)).toEqual([
      {
        error: { message: 'prediction failed: engine broke', type: 'server_error', code: 'server_error', param: null },
      },
      '[DONE]',
    ])
    expect(events.length).toBe(5)
  })

  // verifies residency:reload:after-crash
  it('REL-5: kill -9 mid-stream ends that stream with an error, loads again on the next request, and does not affect others', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [
        { rpc: 'PredictStream', do: { pieces: ['a'], repeat: 1_000_000, pieceDelayMs: 5 } },
        { do: { text: 'back' } },
      ],
    })
    await server.model('other', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['b'], repeat: 40, pieceDelayMs: 10 } }],
    })
    const broken = await openStream(server, 'm')
    const other = await openStream(server, 'other')
    await eventually(() => expect(broken.text()).toContain('"content":"a"'))
    const first = readPid(server, 'm')
    process.kill(first, 'SIGKILL')
    const events = sseData(await broken.ended)
    expect(events.slice(-2)).toEqual([
      {
        error: {
          message: 'prediction failed: the model backend stopped',
          type: 'server_error',
          code: 'server_error',
          param: null,
        },
      },
      '[DONE]',
    ])
    expect((await server.chat('m')).json()).toMatchObject({ choices: [{ message: { content: 'back' } }] })
    expect(readPid(server, 'm')).not.toBe(first)
    expect(sseData(await other.ended).at(-1)).toBe('[DONE]')
    expect(await other.ended).not.toContain('"error"')
  })
})

describe('a backend that dies before anything was sent', () => {
  const messages = [{ role: 'user', content: 'Hello' }]

  // verifies residency:reload:silent-retry
  it.each([
    ['a stream', '/v1/chat/completions', { messages, stream: true }],
    ['a whole answer', '/v1/chat/completions', { messages }],
    ['vectors', '/v1/embeddings', { input: 'Hello' }],
  ])('%s comes from a fresh one, and the client learns nothing of it', async (_name, path, body) => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { delayMs: 700 } }] }, { known_usecases: ['chat', 'embeddings'] })
    const asked = () =>
      server.records('m').filter(({ event, rpc }) => event === 'start' && /Predict|Embedding/.test(rpc))
    const sent = server.post(path, { model: 'm', ...body })
    await eventually(() => expect(asked()).toHaveLength(1))
    process.kill(asked()[0]?.pid ?? 0, 'SIGKILL')
    const reply = await sent
    expect(reply.status).toBe(200)
    expect(reply.text).not.toContain('error')
    expect(new Set(asked().map(({ pid }) => pid)).size).toBe(2)
  })

  // verifies residency:reload:silent-retry
  it('is asked only once more', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { crash: { how: 'kill' } } }] })
    const reply = await server.chat('m')
    expect(reply.status).toBe(500)
    expect(reply.json()).toMatchObject({ error: { message: 'prediction failed: the model backend stopped' } })
    expect(server.records('m').filter(({ event, rpc }) => event === 'start' && rpc === 'Predict')).toHaveLength(2)
  })

  // verifies residency:reload:silent-retry
  it('right before a request is not met by it', async () => {
    await using server = await startTestServer()
    await server.model('m')
    expect((await server.chat('m')).status).toBe(200)
    for (let round = 0; round < 5; round += 1) {
      process.kill(readPid(server, 'm'), 'SIGKILL')
      expect((await server.chat('m')).status).toBe(200)
    }
  })
})

describe('a client that leaves', () => {
  it.each([true, false])('REL-4: cancels the call at once (stream: %s)', async (stream) => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [
        { rpc: 'Predict*', do: { pieces: ['a'], repeat: 1_000_000, pieceDelayMs: 5, delayMs: stream ? 0 : 60_000 } },
      ],
    })
    /** Only the calls of the prediction: its prompt is counted after it was left. */
    const predicted = () => server.records('m').filter(({ rpc }) => rpc.startsWith('Predict'))
    const opened = await openStream(server, 'm', { stream })
    await eventually(() => expect(predicted()).toMatchObject([{ event: 'start' }]))
    if (stream) await eventually(() => expect(opened.text()).toContain('"content"'))
    opened.outgoing.destroy()
    await eventually(() =>
      expect(predicted()).toMatchObject([
        { event: 'start' },
        { event: 'cancel' },
        { event: 'end', outcome: 'cancelled' },
      ]),
    )
    await eventually(() => expect(server.records('m').at(-1)).toMatchObject({ event: 'end', concurrent: 0 }))
    expect(server.logLines.some((line) => line.includes('"level":"error"'))).toBe(false)
  })
})

describe('loading', () => {
  it('REL-6: a hundred first requests share one load', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'LoadModel', do: { delayMs: 100 } }, { do: { text: 'x' } }] })
    const replies = await Promise.all(Array.from({ length: 100 }, () => server.chat('m')))
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]))
    expect(new Set(server.records('m').map((record) => record.pid)).size).toBe(1)
  })

  // verifies cooldown:refusal:status, cooldown:refusal:retry-after, cooldown:refusal:that-model
  it('that fails is 500, then 503 with Retry-After while it rests, for that model alone', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'LoadModel', do: { refuse: 'no such architecture' } }] })
    await server.model('fine')
    const failed = await server.chat('m')
    expect(failed.status).toBe(500)
    expect(failed.headers['x-should-retry']).toBe('false')
    expect((failed.json() as { error: { message: string } }).error.message).toContain('no such architecture')
    const resting = await server.chat('m')
    expect(resting.status).toBe(503)
    expect(Number(resting.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(resting.headers['retry-after'])).toBeLessThanOrEqual(10)
    expect((await server.chat('fine')).status).toBe(200)
  })

  it('of a corrupt GGUF is 500 without a backend, then the cooldown, and the server lives', async () => {
    await using server = await startTestServer()
    await writeFile(
      join(server.modelsPath, 'broken.gguf'),
      Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(64, 0xff)]),
    )
    await server.writeModelFile('corrupt.yaml', 'name: corrupt\nbackend: llama\nparameters: {model: broken.gguf}\n')
    const reply = await server.chat('corrupt')
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain(server.folder)
    expect((await server.chat('corrupt')).status).toBe(503)
    expect((await server.call('/healthz')).status).toBe(200)
  })

  // verifies residency:load:wait, errors:status:cold-loading
  it('that takes too long is 503 model_loading; the load goes on', async () => {
    await using server = await startTestServer({ flags: ['--model-load-wait=50ms'] })
    await server.model('m', { rules: [{ rpc: 'LoadModel', do: { delayMs: 1500 } }, { do: { text: 'x' } }] })
    const waiting = await server.chat('m')
    expect(waiting.status).toBe(503)
    expect(waiting.headers['retry-after']).toBeDefined()
    expect(waiting.json()).toMatchObject({
      error: { code: 'model_loading', type: 'model_loading' },
      loading: { model: 'm' },
    })
    await eventually(async () => expect((await server.chat('m')).status).toBe(200))
    expect(server.records('m').filter((record) => record.rpc === 'LoadModel' && record.event === 'start').length).toBe(
      1,
    )
  })
})
