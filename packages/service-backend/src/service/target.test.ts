import { describe, expect, it } from 'vitest'
import { loadServiceTarget, type ServiceSettings } from './target.ts'

async function load(settings: ServiceSettings) {
  const warnings: string[] = []
  const target = await loadServiceTarget(
    { upstreamUrl: 'http://a', ...settings },
    {
      name: 'own',
      warn: (message) => warnings.push(message),
      secrets: {
        variable: (name) => ({ KEY: 'sk-1', EMPTY: ' ' })[name],
        file: (path) => (path === '/key' ? Promise.resolve(' sk-2\n') : Promise.reject(new Error('ENOENT'))),
      },
    },
  )
  return { target, warnings }
}

describe('a service target', () => {
  it('asks for the model under its own name unless another is given', async () => {
    expect((await load({})).target.model).toBe('own')
    expect((await load({ upstreamModel: '' })).target.model).toBe('own')
    expect((await load({ upstreamModel: 'theirs' })).target.model).toBe('theirs')
  })

  it.each([
    [{ apiKeyEnv: 'KEY' }, 'Bearer sk-1'],
    [{ apiKeyFile: '/key' }, 'Bearer sk-2'],
    [{}, undefined],
  ])('with %j is authorized as %j', async (settings, expected) => {
    const { target } = await load(settings)
    expect(target.headers.find(([name]) => name === 'authorization')?.[1]).toBe(expected)
    expect(target.secrets).toEqual(expected === undefined ? [] : [expected.slice('Bearer '.length)])
  })

  it.each([
    { apiKeyEnv: 'KEY', apiKeyFile: '/key' },
    { apiKeyEnv: 'UNSET' },
    { apiKeyEnv: 'EMPTY' },
    { apiKeyFile: '/none' },
    { upstreamUrl: '' },
  ])('with %j is refused', async (settings) => {
    await expect(load(settings)).rejects.toMatchObject({ code: 'invalid_proxy_settings' })
  })

  it('warns of settings without effect, and of an address that is cut', async () => {
    const { warnings } = await load({ upstreamUrl: 'http://a/v1', mode: 'translate', provider: 'provider_b' })
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([
      'proxy.upstream_url',
      'proxy.mode',
      'proxy.provider',
    ])
    expect((await load({ mode: '', provider: '' })).warnings).toEqual([])
  })

  it.each([
    [30, 30_000],
    [0, undefined],
    [-1, undefined],
    [undefined, undefined],
  ])('with the limit %j waits %j ms', async (requestTimeoutSeconds, timeoutMs) => {
    expect((await load({ requestTimeoutSeconds })).target.timeoutMs).toBe(timeoutMs)
  })

  it('knows its realtime pipeline', async () => {
    expect((await load({ realtimePipeline: 'p' })).target.realtimePipeline).toBe('p')
    expect((await load({ realtimePipeline: '' })).target.realtimePipeline).toBeUndefined()
  })
})
