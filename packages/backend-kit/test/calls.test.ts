import { statSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import { createBackendClient } from '@svc/backend-client'
import { ERROR_KINDS, SvcError } from '@svc/errors'
import { createDeferred, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { listenBackend, StatusError } from '../src/index.ts'
import { startWorld } from './world.ts'

it('without handlers answers health and its capabilities only', async () => {
  await using world = await startWorld({})
  await world.client.health()
  expect(await world.client.extensions.capabilities({})).toMatchObject({
    rpcs: ['Health'],
    extensionRpcs: ['Capabilities'],
  })
  const missing = { kind: 'not_implemented', code: 'unimplemented' }
  await expect(world.client.predict({})).rejects.toMatchObject(missing)
  await expect(world.client.predictStream({}).next()).rejects.toMatchObject(missing)
  await expect(world.client.extensions.decide({})).rejects.toMatchObject(missing)
})

it('lets a backend say itself how healthy it is', async () => {
  await using world = await startWorld({ handlers: { health: () => ({ message: Buffer.from('loading') }) } })
  await expect(world.client.health()).rejects.toMatchObject({ code: 'backend_unhealthy' })
})

it('carries a request to its handler and the answer back, over TCP and over a Unix socket', async () => {
  await using folder = await tempDir()
  for (const address of ['127.0.0.1:0', '[::1]:0', `unix:${folder.join('a.sock')}`]) {
    await using world = await startWorld({
      address,
      handlers: {
        loadModel: (request) => ({ success: true, message: `${request.Model} ${request.Options.join()}` }),
        predict: async (request) => ({ message: Buffer.from(request.Prompt.toUpperCase()), tokens: 2 }),
      },
    })
    expect(await world.client.loadModel({ Model: 'm', Options: ['a', 'b'] })).toEqual({
      success: true,
      message: 'm a,b',
    })
    expect(await world.client.predict({ Prompt: 'grüße' })).toMatchObject({ message: Buffer.from('GRÜSSE'), tokens: 2 })
    if (address.startsWith('unix:')) {
      const { mode } = statSync(address.slice(5), { bigint: true })
      expect(mode & 0o777n).toBe(0o600n)
    }
  }
})

it("sends a handler's trailers after its answer, and none for a failed call", async () => {
  const order: unknown[] = []
  await using world = await startWorld({
    handlers: {
      predict: (request, { addTrailer }) => {
        addTrailer('x-more', request.Prompt)
        if (request.Prompt === 'fail') throw new StatusError(status.ABORTED, 'no')
        return { tokens: 1 }
      },
      async *predictStream(request, { addTrailer }) {
        yield { tokens: 1 }
        addTrailer('x-more', request.Prompt)
        yield { tokens: 2 }
      },
    },
  })
  const onTrailers = (trailers: Readonly<Record<string, string>>): void => {
    order.push(trailers['x-more'])
  }
  const whole = await world.client.predict({ Prompt: 'whole' }, { onTrailers })
  order.push(whole.tokens)
  for await (const { tokens } of world.client.predictStream({ Prompt: 'stream' }, { onTrailers })) order.push(tokens)
  order.push('end')
  await expect(world.client.predict({ Prompt: 'fail' }, { onTrailers })).rejects.toMatchObject({ name: 'BackendError' })
  expect(order.filter((step) => step !== 'stream')).toEqual(['whole', 1, 1, 2, 'end'])
  expect(order.indexOf('stream')).toBeGreaterThan(1)
  expect(order.indexOf('stream')).toBeLessThan(order.indexOf('end'))
})

it.each([
  ['half a character', '\ud83d'],
  ['a whole book', 'lorem ipsum \u4f60\u597d '.repeat(20_000)],
])('carries a failure that quotes %s, and goes on serving', async (_name, quoted) => {
  const fail = (): never => {
    throw new SvcError('invalid_request', `no: ${quoted}`, { code: 'quoted' })
  }
  await using world = await startWorld({
    handlers: {
      predict: fail,
      async *predictStream() {
        yield { tokens: 1 }
        fail()
      },
    },
  })
  const failure = { kind: 'invalid_request', code: 'quoted', message: expect.stringContaining('no: ') }
  await expect(world.client.predict({})).rejects.toMatchObject(failure)
  const replies = world.client.predictStream({})
  await replies.next()
  await expect(replies.next()).rejects.toMatchObject(failure)
  await world.client.health()
})

it('answers health and capabilities itself where the handlers of both are left undefined', async () => {
  await using world = await startWorld({ handlers: { health: undefined }, extensions: { capabilities: undefined } })
  await world.client.health()
  expect(await world.client.extensions.capabilities({})).toMatchObject({
    rpcs: ['Health'],
    extensionRpcs: ['Capabilities'],
  })
})

it('serves our own rpcs beside the contract', async () => {
  await using world = await startWorld({
    extensions: {
      decide: ({ questions }) => ({ answers: questions.map(({ id }, index) => ({ id, probability: index / 2 })) }),
      saveSlot: ({ slot, path }) => ({ tokens: slot, bytes: path.length, milliseconds: 1.5 }),
    },
  })
  const { answers } = await world.client.extensions.decide({ questions: [{ id: 'p0' }, { id: 'p1' }] })
  expect(answers).toEqual([
    { id: 'p0', probability: 0 },
    { id: 'p1', probability: 0.5 },
  ])
  expect(await world.client.extensions.saveSlot({ slot: 3, path: '/x' })).toEqual({
    tokens: 3n,
    bytes: 2n,
    milliseconds: 1.5,
  })
})

it('streams in order, one way and both ways', async () => {
  await using world = await startWorld({
    handlers: {
      async *predictStream(request) {
        for (const word of request.Prompt.split(' ')) yield { message: Buffer.from(word) }
      },
      async *audioTransformStream(requests) {
        for await (const { frame } of requests) if (frame) yield { pcm: Buffer.from(frame.audioPcm).reverse() }
        yield { pcm: Buffer.from('end') }
      },
    },
  })
  const words: string[] = []
  for await (const { message } of world.client.predictStream({ Prompt: 'a b c' })) words.push(message.toString())
  expect(words).toEqual(['a', 'b', 'c'])

  const call = world.client.audioTransformStream()
  await call.write({ config: {} })
  await call.write({ frame: { audioPcm: Buffer.from('12') } })
  call.end()
  const frames: string[] = []
  for await (const { pcm } of call) frames.push(pcm.toString())
  expect(frames).toEqual(['21', 'end'])
})

it('gives handlers the metadata of the call, but not the token', async () => {
  await using world = await startWorld({
    token: 'secret',
    handlers: { predict: (_request, { metadata }) => ({ message: Buffer.from(JSON.stringify(metadata)) }) },
  })
  const { message } = await world.client.predict({}, { metadata: { 'X-Trace': 'abc' } })
  expect(JSON.parse(message.toString())).toMatchObject({ 'x-trace': 'abc' })
  expect(message.toString()).not.toContain('secret')
})

it.each(ERROR_KINDS)('carries a failure of kind %s to the caller, from every kind of call', async (kind) => {
  const error = new SvcError(kind, 'because of reasons', { code: 'some_word', retryAfterMs: 70 })
  const fail = () => {
    throw error
  }
  await using world = await startWorld({
    handlers: { predict: fail, predictStream: fail, forward: fail },
  })
  // The caller has not cancelled: an abort by the backend looks unavailable to it.
  const expected =
    kind === 'cancelled'
      ? { kind: 'unavailable' }
      : { kind, code: 'some_word', message: 'because of reasons', retryAfterMs: 70 }
  await expect(world.client.predict({})).rejects.toMatchObject(expected)
  await expect(world.client.predictStream({}).next()).rejects.toMatchObject(expected)
  await expect(world.client.forward()[Symbol.asyncIterator]().next()).rejects.toMatchObject(expected)
})

it('carries an exact status', async () => {
  await using world = await startWorld({
    handlers: {
      predict: () => {
        throw new StatusError(status.FAILED_PRECONDITION, 'whatever')
      },
    },
  })
  await expect(world.client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
})

it('hides an unexpected failure, and reports it', async () => {
  const reported: unknown[] = []
  const thrown = new Error('the password is hunter2')
  await using world = await startWorld({
    report: (path, cause) => reported.push([path, cause]),
    handlers: {
      predict: async () => {
        throw thrown
      },
      async *predictStream() {
        yield { message: Buffer.from('a') }
        throw thrown
      },
    },
  })
  const expected = { kind: 'internal', message: 'internal error' }
  await expect(world.client.predict({})).rejects.toMatchObject(expected)
  const replies = world.client.predictStream({})
  expect((await replies.next()).value?.message.toString()).toBe('a')
  await expect(replies.next()).rejects.toMatchObject(expected)
  expect(reported).toEqual([
    ['/backend.Backend/Predict', thrown],
    ['/backend.Backend/PredictStream', thrown],
  ])
})

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'a text'],
  ['a number', 1],
  ['a list of messages', [{ message: Buffer.from('a') }]],
  ['a function', () => ({})],
])('reports a handler that answers with something that is not a message: %s', async (_, answer) => {
  const reported: string[] = []
  await using world = await startWorld({
    report: (path) => reported.push(path),
    handlers: {
      predict: () => answer as never,
      predictStream: () => answer as never,
    },
  })
  const expected = { kind: 'internal', message: 'internal error' }
  await expect(world.client.predict({})).rejects.toMatchObject(expected)
  await expect(world.client.predictStream({}).next()).rejects.toMatchObject(expected)
  expect(reported).toHaveLength(2)
})

it('takes only callers with its token, for every kind of call, health included', async () => {
  await using world = await startWorld({
    token: 'right',
    handlers: { predict: () => ({}), async *predictStream() {}, async *forward() {} },
  })
  await world.client.health()
  for (const token of [undefined, 'wrong', 'right ', 'Right']) {
    await using other = createBackendClient({ address: world.backend.address, token })
    const refused = { kind: 'unauthenticated' }
    await expect(other.health()).rejects.toMatchObject(refused)
    await expect(other.predict({})).rejects.toMatchObject(refused)
    await expect(other.predictStream({}).next()).rejects.toMatchObject(refused)
    await expect(other.forward()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused)
    await expect(other.extensions.capabilities({})).rejects.toMatchObject(refused)
  }
})

it('takes messages just below 50 MiB both ways and refuses more, saying so', async () => {
  const MIB = 1024 * 1024
  await using world = await startWorld({
    handlers: { predict: ({ Prompt, Tokens }) => ({ message: Buffer.alloc(Tokens * MIB), tokens: Prompt.length }) },
  })
  const big = await world.client.predict({ Prompt: 'x'.repeat(49 * MIB), Tokens: 49 })
  expect(big.tokens).toBe(49 * MIB)
  expect(big.message).toHaveLength(49 * MIB)
  await expect(world.client.predict({ Prompt: 'x'.repeat(51 * MIB) })).rejects.toMatchObject({
    kind: 'too_large',
    code: 'message_too_large',
  })
  await expect(world.client.predict({ Tokens: 51 })).rejects.toMatchObject({
    message: expect.stringMatching(/too large/),
  })
  await world.client.health()
})

it('says that an address is taken', async () => {
  await using world = await startWorld({})
  await expect(listenBackend({ handlers: {}, address: world.backend.address })).rejects.toMatchObject({
    kind: 'conflict',
    code: 'address_in_use',
  })
})

it('runs calls side by side', async () => {
  const release = createDeferred()
  let running = 0
  const all = createDeferred()
  await using world = await startWorld({
    handlers: {
      predict: async () => {
        running += 1
        if (running === 20) all.resolve()
        await release.promise
        return {}
      },
    },
  })
  const calls = Array.from({ length: 20 }, () => world.client.predict({}))
  await all.promise
  release.resolve()
  expect(await Promise.all(calls)).toHaveLength(20)
})
