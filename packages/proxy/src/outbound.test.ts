import { describe, expect, it } from 'vitest'
import { createCloudRequest, loadCloudTarget, readUpstreamKey } from './outbound.ts'
import type { SecretReader } from './ports.ts'

const secrets: SecretReader = {
  variable: (name) => ({ KEY: 'secret-key', EMPTY: '', BLANK: ' \n', LINES: 'a\nb' })[name],
  file: (path) => {
    const text = { '/key': '\n secret-key \n', '/empty': ' \n', '/binary': 'a\0b' }[path]
    return text === undefined ? Promise.reject(new Error(`no such file: ${path}`)) : Promise.resolve(text)
  },
}
const upstreamUrl = 'https://api.example/v1/chat/completions'

describe('readUpstreamKey', () => {
  it.each([
    [{}, undefined],
    [{ apiKeyEnv: '', apiKeyFile: '' }, undefined],
    [{ apiKeyEnv: 'KEY' }, 'secret-key'],
    [{ apiKeyFile: '/key' }, 'secret-key'],
  ])('%j', async (settings, key) => {
    expect(await readUpstreamKey(settings, secrets)).toBe(key)
  })

  it.each([
    [{ apiKeyEnv: 'KEY', apiKeyFile: '/key' }, 'proxy.api_key_file: cannot be set beside api_key_env'],
    [{ apiKeyEnv: 'UNSET' }, 'proxy.api_key_env: the variable UNSET is not set'],
    [{ apiKeyEnv: 'EMPTY' }, 'proxy.api_key_env: the variable EMPTY is empty'],
    [{ apiKeyEnv: 'BLANK' }, 'proxy.api_key_env: the variable BLANK is empty'],
    [{ apiKeyEnv: 'LINES' }, 'proxy.api_key_env: the variable LINES holds characters that no key has'],
    [{ apiKeyFile: '/missing' }, 'proxy.api_key_file: the file cannot be read'],
    [{ apiKeyFile: '/empty' }, 'proxy.api_key_file: the file is empty'],
    [{ apiKeyFile: '/binary' }, 'proxy.api_key_file: the file holds characters that no key has'],
  ])('%j is refused', async (settings, message) => {
    await expect(readUpstreamKey(settings, secrets)).rejects.toMatchObject({ code: 'invalid_proxy_settings', message })
  })
})

describe('loadCloudTarget', () => {
  it('has the key and identity in its headers', async () => {
    const target = await loadCloudTarget(
      { upstreamUrl, apiKeyEnv: 'KEY', upstreamModel: 'large', requestTimeoutSeconds: 2 },
      { secrets, userAgent: 'svc/1' },
    )
    expect(target).toMatchObject({
      provider: 'provider_a',
      upstreamModel: 'large',
      timeoutMs: 2000,
      headers: [
        ['user-agent', 'svc/1'],
        ['accept-encoding', 'identity'],
        ['authorization', 'Bearer secret-key'],
      ],
    })
    expect(target.url.href).toBe(upstreamUrl)
  })

  it.each([
    undefined,
    '',
    ' ',
    '/v1/chat/completions',
    'api.example/v1',
    'ftp://api.example',
    'file:///etc/passwd',
    'https://',
    'https://user:pass@api.example',
  ])('refuses the address %j', async (address) => {
    const loaded = loadCloudTarget({ upstreamUrl: address }, { secrets })
    await expect(loaded).rejects.toMatchObject({ details: { param: 'proxy.upstream_url' } })
  })
})

describe('cloudRequest', () => {
  const client = (name: string): string | undefined =>
    ({ authorization: 'Bearer client', 'x-api-key': 'client', cookie: 'client', accept: 'a/b' })[name]

  it("carries the server's key and no private header of the client", async () => {
    const settings = { upstreamUrl, provider: 'provider_b', apiKeyFile: '/key' } as const
    const target = await loadCloudTarget(settings, { secrets })
    const request = createCloudRequest(target, { client, body: new Uint8Array(), isStream: false })
    expect(request.headers).toEqual([
      ['user-agent', 'svc'],
      ['accept-encoding', 'identity'],
      ['x-api-key', 'secret-key'],
      ['content-type', 'application/json'],
      ['accept', 'a/b'],
      ['x-svc-hop', '1'],
      ['anthropic-version', '2023-06-01'],
    ])
  })

  // verifies proxy:key:none
  it('has no credential without a key, for any client headers', async () => {
    const target = await loadCloudTarget({ upstreamUrl }, { secrets })
    const names = createCloudRequest(target, { client, body: new Uint8Array(), isStream: false }).headers.map(
      ([name]) => name,
    )
    expect(names).not.toContain('authorization')
    expect(names).not.toContain('x-api-key')
  })

  // verifies proxy:timeout:whole, proxy:timeout:streams
  it('limits the time of whole replies only', async () => {
    const target = await loadCloudTarget({ upstreamUrl, requestTimeoutSeconds: 3 }, { secrets })
    const readTimeout = (isStream: boolean) =>
      createCloudRequest(target, { client, body: new Uint8Array(), isStream }).timeoutMs
    expect([readTimeout(false), readTimeout(true)]).toEqual([3000, undefined])
  })
})
