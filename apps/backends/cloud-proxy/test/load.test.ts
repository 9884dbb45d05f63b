import { ModelOptions, PredictOptions } from '@svc/backend-client/proto'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createCloudProxy } from '../src/cloud-proxy.ts'
import { json, startWorld } from './world.ts'

const MESSAGE = { content: [{ type: 'text', text: 'ho' }], stop_reason: 'end_turn' }

describe('a model is not loaded', () => {
  it.each([
    [{ upstreamUrl: '' }, 'upstream_url'],
    [{ upstreamUrl: 'ftp://a' }, 'upstream_url'],
    [{ upstreamUrl: 'example.com/v1' }, 'upstream_url'],
    [{ mode: 'relay' }, 'proxy.mode'],
    [{ mode: 'translate' }, 'proxy.provider'],
    [{ provider: 'provider_c' }, 'proxy.provider'],
    [{ apiKeyEnv: 'KEY', apiKeyFile: '/key' }, 'api_key_file'],
    [{ apiKeyEnv: 'UNSET' }, 'api_key_env'],
    [{ apiKeyEnv: 'EMPTY' }, 'api_key_env'],
    [{ apiKeyFile: '/nowhere' }, 'api_key_file'],
    [{ apiKeyFile: '/empty' }, 'api_key_file'],
  ])('with %j', async (proxy, word) => {
    await using world = await startWorld()
    const result = await world.tryLoad(proxy)
    expect(result.success).toBe(false)
    expect(result.message).toContain(word)
    expect(result.message).not.toMatch(/sk-/)
    await expect(world.client.predict({ Prompt: 'x' })).rejects.toMatchObject({ code: 'model_not_loaded' })
  })

  it('without any name, when it translates', async () => {
    await using world = await startWorld()
    const proxy = { mode: 'translate', provider: 'provider_b' }
    expect(await world.tryLoad(proxy, { Model: '' })).toMatchObject({ success: false })
    expect(await world.tryLoad({ ...proxy, upstreamModel: 'theirs' }, { Model: '' })).toMatchObject({ success: true })
    expect(await world.tryLoad({}, { Model: '' })).toMatchObject({ success: true })
  })

  it('with an unknown word for translation, or without the block', async () => {
    await using world = await startWorld()
    const proxy = { mode: 'translate', provider: 'provider_b' }
    for (const option of ['translate:most', 'sampling:all', 'limit_field:tokens', 'stream_usage:maybe']) {
      const name = option.split(':', 1)[0]
      const message = expect.stringContaining(`${name}: expected`)
      expect(await world.tryLoad(proxy, { Options: [option] })).toMatchObject({ success: false, message })
    }
    expect(await world.client.loadModel({ Model: 'm' })).toMatchObject({ success: false, message: 'proxy: is needed' })
  })
})

describe('a loaded model', () => {
  it.each([
    [{ provider: 'provider_b', apiKeyEnv: 'KEY' }, 'x-api-key', 'sk-variable'],
    [{ provider: 'anthropic', apiKeyFile: '/key' }, 'x-api-key', 'sk-file'],
    [{ provider: 'provider_a', apiKeyEnv: 'KEY' }, 'authorization', 'Bearer sk-variable'],
    [{ provider: 'openai', apiKeyFile: '/key' }, 'authorization', 'Bearer sk-file'],
  ])('with %j sends its key in %s, and in no other header', async (proxy, header, value) => {
    await using world = await startWorld()
    await world.load({ mode: 'translate', ...proxy })
    world.provider.replyWith(json({ ...MESSAGE, choices: [{ message: { content: 'ho' } }] }))
    await world.client.predict({ Prompt: 'x' })
    const keyed = world.provider.requests[0]?.headers.filter(([, text]) => text.includes('sk-'))
    expect(keyed).toEqual([[header, value]])
  })

  it('without a key sends none', async () => {
    await using world = await startWorld()
    await world.load({ mode: 'translate', provider: 'provider_b' })
    world.provider.replyWith(json(MESSAGE))
    await world.client.predict({ Prompt: 'x' })
    expect(world.provider.requests[0]?.header('x-api-key')).toEqual([])
    expect(world.provider.requests[0]?.header('authorization')).toEqual([])
  })

  it('warns of a cache without effect', async () => {
    await using world = await startWorld()
    await world.load({ mode: 'translate', provider: 'provider_a', cachePrompt: true })
    expect(world.warnings).toEqual([expect.stringContaining('cache_prompt')])
    await world.load({ mode: 'translate', provider: 'provider_b', cachePrompt: true })
    expect(world.warnings).toHaveLength(1)
    world.provider.replyWith(json(MESSAGE))
    await world.client.predict({ Prompt: 'x' })
    expect(JSON.stringify(world.asked())).toContain('cache_control')
  })

  it('is refused under another name, gone when freed, and shows how it is', async () => {
    await using world = await startWorld()
    expect((await world.client.status({})).state).toBe(0)
    await world.load({ mode: 'translate', provider: 'provider_b' })
    expect((await world.client.status({})).state).toBe(2)
    await expect(world.client.predict({ Prompt: 'x', ModelIdentity: 'other' })).rejects.toMatchObject({
      code: 'model_identity_mismatch',
    })
    await world.client.free({})
    await expect(world.client.predict({ Prompt: 'x' })).rejects.toMatchObject({ code: 'model_not_loaded' })
  })
})

it('a model that is freed while it is still being loaded is not there', async () => {
  const key = createDeferred<string>()
  const handlers = createCloudProxy({
    upstream: { send: () => Promise.reject(new Error('no upstream here')) },
    log: { warn: () => undefined, error: () => undefined },
    secrets: { variable: () => undefined, file: () => key.promise },
  })
  const context = { signal: new AbortController().signal, metadata: {}, addTrailer: () => undefined }
  const proxy = { upstreamUrl: 'http://first.test', mode: 'translate', provider: 'provider_a', apiKeyFile: '/key' }
  const loaded = handlers.loadModel?.(ModelOptions.fromPartial({ Model: 'm', Proxy: proxy }), context)
  const freed = handlers.free?.({}, context)
  key.resolve('sk-first')
  await Promise.all([loaded, freed])
  await expect(async () =>
    handlers.predict?.(PredictOptions.fromPartial({ Prompt: 'x' }), context),
  ).rejects.toMatchObject({
    code: 'model_not_loaded',
  })
})
