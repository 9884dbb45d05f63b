import { ModelOptions, PredictOptions, type ProxyOptions } from '@svc/backend-client/proto'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createServiceHandlers } from '../src/index.ts'
import { json, startWorld } from './world.ts'

describe('a model', () => {
  it.each([
    [{ upstreamUrl: '' }, 'upstream_url'],
    [{ upstreamUrl: 'ftp://a' }, 'upstream_url'],
    [{ apiKeyEnv: 'KEY', apiKeyFile: '/key' }, 'api_key_file'],
    [{ apiKeyEnv: 'UNSET' }, 'api_key_env'],
    [{ apiKeyFile: '/nowhere' }, 'api_key_file'],
  ])('with %j is not loaded', async (proxy, word) => {
    await using world = await startWorld()
    const result = await world.tryLoad(proxy)
    expect(result).toMatchObject({ success: false, message: expect.stringContaining(word) })
  })

  it('without any name is not loaded', async () => {
    await using world = await startWorld()
    expect(await world.tryLoad({}, { Model: '' })).toMatchObject({ success: false })
    expect(await world.tryLoad({ upstreamModel: 'theirs' }, { Model: '' })).toMatchObject({ success: true })
  })

  it('is asked for under its own name, or the configured one, with the key', async () => {
    await using world = await startWorld({ apiKeyEnv: 'KEY' })
    world.instance.replyWith(json({ tokens: [] }))
    await world.client.tokenizeString({ Prompt: 'x' })
    expect(world.asked()).toEqual({ model: 'm', content: 'x' })
    expect(world.instance.requests[0]?.header('authorization')).toEqual(['Bearer sk-secret'])
    await world.tryLoad({ upstreamModel: 'theirs' })
    await world.client.tokenizeString({ Prompt: 'x' })
    expect(world.asked()).toEqual({ model: 'theirs', content: 'x' })
    expect(world.instance.requests[1]?.header('authorization')).toEqual([])
  })

  it('warns of settings without effect, and of an address that is cut', async () => {
    await using world = await startWorld()
    await world.tryLoad({ upstreamUrl: `${world.instance.origin}/v1/chat`, mode: 'translate', provider: 'openai' })
    expect(world.warnings).toHaveLength(3)
    world.instance.replyWith(json({ tokens: [] }))
    await world.client.tokenizeString({ Prompt: 'x' })
    expect(world.instance.requests[0]?.path).toBe('/v1/tokenize')
  })

  it('is refused under another name, gone when freed, and shows how it is', async () => {
    await using world = await startWorld()
    expect((await world.client.status({})).state).toBe(2)
    await expect(world.client.predict({ ModelIdentity: 'other' })).rejects.toMatchObject({
      code: 'model_identity_mismatch',
    })
    await world.client.free({})
    expect((await world.client.status({})).state).toBe(0)
    await expect(world.client.predict({ Prompt: 'x' })).rejects.toMatchObject({ code: 'model_not_loaded' })
  })
})

describe('calls while a model is still loading', () => {
  /** Handlers of a process whose key file blocks until the gate is opened. */
  function start() {
    const gate = createDeferred<string>()
    const asked: string[] = []
    const handlers = createServiceHandlers({
      upstream: {
        send: (request) => {
          asked.push(request.url.origin)
          return Promise.reject(new Error('no instance here'))
        },
      },
      log: { warn: () => undefined, error: () => undefined },
      secrets: { variable: () => undefined, file: () => gate.promise },
    })
    const context = { signal: new AbortController().signal, metadata: {}, addTrailer: () => undefined }
    const load = async (proxy: Partial<ProxyOptions>) =>
      await handlers.loadModel?.(ModelOptions.fromPartial({ Model: 'm', Proxy: proxy }), context)
    const ask = async () => await handlers.tokenizeString?.(PredictOptions.fromPartial({ Prompt: 'x' }), context)
    const slow = load({ upstreamUrl: 'http://first.test', apiKeyFile: '/key' })
    return { gate, asked, handlers, context, load, ask, slow }
  }

  it('takes its place: another model', async () => {
    const { gate, asked, load, ask, slow } = start()
    const next = load({ upstreamUrl: 'http://second.test' })
    gate.resolve('sk-first')
    expect([await slow, await next]).toMatchObject([{ success: true }, { success: true }])
    await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' })
    expect(asked).toEqual(['http://second.test'])
  })

  it('replaces it: no model is loaded', async () => {
    const { gate, handlers, context, ask, slow } = start()
    const freed = handlers.free?.({}, context)
    gate.resolve('sk-first')
    await Promise.all([slow, freed])
    await expect(ask()).rejects.toMatchObject({ code: 'model_not_loaded' })
  })
})

describe('replies of the instance', () => {
  it.each([
    [501, 'not_implemented'],
    [500, 'unavailable'],
    [429, 'rate_limited'],
    [400, 'invalid_request'],
    [404, 'invalid_request'],
  ])('with status %i is %s', async (status, kind) => {
    await using world = await startWorld()
    world.instance.replyWith(json({ error: { message: 'because' } }, status))
    await expect(world.client.tokenizeString({ Prompt: 'x' })).rejects.toMatchObject({ kind, message: 'because' })
  })

  it.each(['audioEncode', 'audioDecode', 'tokenClassify', 'modelMetadata', 'startQuantization'] as const)(
    'is not asked about %s, which no route has',
    async (method) => {
      await using world = await startWorld()
      await expect(world.client[method]({})).rejects.toMatchObject({ kind: 'not_implemented' })
      expect(world.instance.requests).toEqual([])
    },
  )

  it('counts the servers that a request has passed, and fails in a loop', async () => {
    await using world = await startWorld()
    world.instance.replyWith(json({ tokens: [] }))
    await world.client.tokenizeString({ Prompt: 'x' }, { metadata: { 'x-svc-hop': '2' } })
    expect(world.instance.requests[0]?.header('x-svc-hop')).toEqual(['3'])
    const round = world.client.tokenizeString({ Prompt: 'x' }, { metadata: { 'x-svc-hop': '4' } })
    await expect(round).rejects.toMatchObject({ kind: 'loop' })
  })

  it('with typed questions is not implemented: they are not sent', async () => {
    await using world = await startWorld()
    await expect(world.client.extensions.decide({})).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})
