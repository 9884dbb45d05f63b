import { type BackendClient, createBackendClient, ensureSuccess, pushReplies } from '@svc/backend-client'
import { MAX_MESSAGE_BYTES } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { eventually, patience, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAILURE_TEXT, type Feature, PEERS, type Peer, type RunningPeer, SQUEEZED } from './peers.ts'

/** Texts of a stream, without replies that hold only figures, and the failure that ended the stream. */
async function read(replies: AsyncIterable<{ readonly message: Buffer }>) {
  const texts: string[] = []
  try {
    for await (const { message } of replies) if (message.length > 0) texts.push(message.toString())
    return { texts }
  } catch (error) {
    if (!SvcError.is(error)) throw error
    return { texts, kind: error.kind, code: error.code }
  }
}

const runnable = PEERS.filter(({ missing }) => missing === undefined)
for (const { name, missing } of PEERS) if (missing !== undefined) console.warn(`${name} is not run: ${missing}`)

describe.each(runnable)('against $name', (peer: Peer) => {
  let folder: TempDir
  let running: RunningPeer
  const has = (feature: Feature) => peer.features.has(feature)
  const itWith = (feature: Feature, name: string, test: () => Promise<void>) => {
    if (has(feature)) it(name, test)
  }

  beforeAll(async () => {
    folder = await tempDir('svc-peer-')
    await peer.build?.(folder)
    running = await peer.start(folder)
  })
  afterAll(async () => {
    await running.stop()
    await folder.close()
  })

  async function makeReady(client: BackendClient): Promise<void> {
    await client.waitUntilReady({ signal: patience() })
    if (has('load')) ensureSuccess(await client.loadModel({ Model: 'm' }))
  }

  async function connect(): Promise<BackendClient> {
    const client = createBackendClient({ address: running.address })
    await makeReady(client)
    return client
  }

  it('answers each call of the main path', async () => {
    await using client = await connect()
    expect((await client.predict({ Prompt: 'x' })).message.toString()).toBe('hello')
    expect(await read(client.predictStream({ Prompt: 'x' }))).toEqual({ texts: ['a', 'b', 'c'] })
    const { embeddings } = await client.embedding({ Embeddings: 'x' })
    expect(embeddings.length).toBeGreaterThan(0)
    const { length, tokens } = await client.tokenizeString({ Prompt: 'x y' })
    expect(tokens).toHaveLength(length)
  })

  it('reads the status a call fails with, and its text', async () => {
    await using client = await connect()
    const failure = { kind: 'rate_limited', message: FAILURE_TEXT }
    await expect(client.predict({ Prompt: 'FAIL' })).rejects.toMatchObject(failure)
    const failed = await read(client.predictStream({ Prompt: 'FAIL' }))
    expect(failed).toEqual({ texts: ['a'], kind: 'rate_limited', code: 'rate_limited' })
  })

  it('cancels a call that hangs', async () => {
    await using client = await connect()
    const controller = new AbortController()
    const { signal } = controller
    const unary = client.predict({ Prompt: 'HANG' }, { signal })
    const stream = client.predictStream({ Prompt: 'HANG' }, { signal })
    expect((await stream.next()).value?.message.toString()).toBe('a')
    controller.abort()
    await expect(unary).rejects.toMatchObject({ kind: 'cancelled' })
    await expect(stream.next()).rejects.toMatchObject({ kind: 'cancelled' })
    if (!has('cancel-report')) return
    await eventually(async () => {
      expect((await client.predict({ Prompt: 'WAS_CANCELLED' })).message.toString()).toBe('yes')
    })
  })

  it('ends calls that hang at their deadline', async () => {
    await using client = await connect()
    const late = { kind: 'timeout', code: 'backend_timeout' }
    await expect(client.predict({ Prompt: 'HANG' }, { timeoutMs: 300 })).rejects.toMatchObject(late)
    const stream = await read(client.predictStream({ Prompt: 'HANG' }, { timeoutMs: 2000 }))
    expect(stream).toEqual({ texts: ['a'], ...late })
  })

  itWith('sizes', 'takes messages of 50 MiB both ways', async () => {
    await using client = await connect()
    const Prompt = 'SIZE'.padEnd(MAX_MESSAGE_BYTES - 5, 'x')
    expect((await client.predict({ Prompt })).message.toString()).toBe(String(MAX_MESSAGE_BYTES))
    expect((await client.predict({ Prompt: 'BIG' })).message).toHaveLength(MAX_MESSAGE_BYTES - 5)
  })

  itWith('gzip', 'reads compressed replies', async () => {
    await using client = await connect()
    expect((await client.predict({ Prompt: 'GZIP' })).message.toString()).toBe(SQUEEZED)
    expect(await read(client.predictStream({ Prompt: 'GZIP' }))).toEqual({ texts: ['a', 'b', 'c'] })
  })

  itWith('trailers', 'hands trailing metadata on', async () => {
    await using client = await connect()
    const seen: unknown[] = []
    await client.predict({ Prompt: 'TRAILERS' }, { onTrailers: (trailers) => seen.push(trailers) })
    expect(seen).toEqual([expect.objectContaining({ 'svc-finish-reason': 'stop' })])
  })

  it('makes 1,000 calls at once', async () => {
    await using client = await connect()
    const calls = Array.from({ length: 1000 }, () => client.predict({ Prompt: 'x' }))
    const texts = (await Promise.all(calls)).map(({ message }) => message.toString())
    expect(texts.filter((text) => text === 'hello')).toHaveLength(1000)
  })

  itWith('many', 'loses nothing of a long stream, pulled slowly or pushed', async () => {
    await using client = await connect()
    const expected = Array.from({ length: 5000 }, (_, index) => `${index} `)
    const pulled: string[] = []
    for await (const { message } of client.predictStream({ Prompt: 'MANY' })) {
      if (pulled.length % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (message.length > 0) pulled.push(message.toString())
    }
    expect(pulled).toEqual(expected)
    const pushed: string[] = []
    await new Promise<void>((resolve, reject) => {
      pushReplies(client.predictStream({ Prompt: 'MANY' }), {
        onReplies: (replies) => pushed.push(...replies.map(({ message }) => message.toString()).filter(Boolean)),
        onEnd: (error) => (error === undefined ? resolve() : reject(error)),
      })
    })
    expect(pushed).toEqual(expected)
  })

  itWith('exit', 'gives what came before the process died, and reaches the next one', async () => {
    await using client = await connect()
    const dying = await read(client.predictStream({ Prompt: 'EXIT' }))
    expect(dying).toMatchObject({ texts: ['a'], kind: 'unavailable' })
    await running.stop()
    running = await peer.start(folder)
    await makeReady(client)
    expect((await client.predict({ Prompt: 'x' })).message.toString()).toBe('hello')
  })
})
