import { extractCredentials } from '@svc/auth'
import { describe, expect } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

async function statusWith(server: TestServer, headers: Record<string, string> = {}): Promise<number> {
  return (await server.call('/v1/models', { headers })).status
}

describe('shared keys', () => {
  verifies('legacy-key:source:variable', 'of the variable are all accepted', async () => {
    await using server = await startTestServer({ env: { SVC_API_KEY: 'one, two' } })
    for (const key of ['one', 'two']) expect(await statusWith(server, { 'x-api-key': key }), key).toBe(200)
    for (const key of ['', 'one, two', 'three']) expect(await statusWith(server, { 'x-api-key': key }), key).toBe(401)
  })

  verifies('auth:mode:legacy-flag', 'come by flag too', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=one,two'] })
    expect(await statusWith(server)).toBe(401)
    expect(await statusWith(server, { authorization: 'Bearer two' })).toBe(200)
  })

  verifies('flags:subtle-key-comparison:accepted', 'are compared as always with the older flag', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=one', '--use-subtle-key-comparison'] })
    expect(await statusWith(server, { 'x-api-key': 'one' })).toBe(200)
    expect(await statusWith(server, { 'x-api-key': 'onf' })).toBe(401)
  })
})

describe('several credentials', () => {
  verifies('auth:carriers:first-decides', 'are looked at in one order, headers first', () => {
    const headers: Record<string, string> = {
      authorization: 'Bearer a',
      'x-api-key': 'b',
      'xi-api-key': 'c',
      cookie: 'token=d; session=e',
    }
    const found: unknown[] = []
    for (const name of Object.keys(headers)) {
      found.push(extractCredentials(headers))
      delete headers[name]
    }
    expect(found).toEqual([
      [{ carrier: 'bearer', value: 'a' }],
      [{ carrier: 'x-api-key', value: 'b' }],
      [{ carrier: 'xi-api-key', value: 'c' }],
      [
        { carrier: 'session-cookie', value: 'e' },
        { carrier: 'token-cookie', value: 'd' },
      ],
    ])
  })
})

describe('the host that is asked for', () => {
  verifies(['auth:host:no-auth', 'errors:status:misdirected'], 'may be that of the base URL', async () => {
    await using server = await startTestServer({
      flags: ['--allowed-hosts=models.lan'],
      env: { SVC_BASE_URL: 'https://models.example/svc/' },
    })
    for (const host of ['models.example', 'models.lan', 'localhost', '127.0.0.1']) {
      expect(await statusWith(server, { host }), host).toBe(200)
    }
    expect(await statusWith(server, { host: 'evil.example' })).toBe(421)
  })
})
