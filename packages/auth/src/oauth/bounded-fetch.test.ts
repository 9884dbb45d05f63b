import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { boundFetch, isSafeUrl } from './bounded-fetch.ts'
import { isProviderDown } from './provider-error.ts'

describe('a provider that gives no answer', () => {
  const init = { method: 'GET', headers: {}, redirect: 'manual' } as const
  const fail = (error: unknown, signal?: AbortSignal) =>
    boundFetch(() => Promise.reject(error))('https://issuer.example', { ...init, signal }).catch((thrown) => thrown)

  it.each([
    ['an error of fetch', new TypeError('fetch failed')],
    ['an error of a socket', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
    ['an error of a client', new SvcError('upstream_failed', 'lost', { code: 'fetch_failed' })],
    ['a refused address', new SvcError('invalid_request', 'no', { code: 'url_not_allowed' })],
    ['a limit of a client', new SvcError('timeout', 'late', { code: 'fetch_timeout' })],
    ['a limit of a signal', new DOMException('late', 'TimeoutError')],
    ['a reply that breaks off', new SvcError('upstream_failed', 'cut')],
  ])('is down by %s', async (_what, error) => {
    expect(isProviderDown(await fail(error))).toBe(true)
  })

  it('is down when its time has passed, and not when the caller leaves', async () => {
    const late = new DOMException('late', 'TimeoutError')
    expect(isProviderDown(await fail(late, AbortSignal.abort(late)))).toBe(true)
    for (const reason of [new DOMException('left', 'AbortError'), new SvcError('cancelled', 'left')]) {
      expect(await fail(reason, AbortSignal.abort(reason))).toBe(reason)
    }
  })

  it.each([
    ['for this package', async () => new Response(Buffer.alloc(1024 * 1024 + 1))],
    ['for the client', () => Promise.reject(new SvcError('too_large', 'more than 2 MiB'))],
  ])('is not down where its reply is too large %s', async (_for, send) => {
    const message = expect.stringContaining('too large')
    const sending = boundFetch(send)('https://issuer.example', init)
    await expect(sending).rejects.toMatchObject({ name: 'AuthError', kind: 'upstream_failed', message })
  })

  it.each([204, 205, 304])('has a reply of status %i', async (status) => {
    const reply = await boundFetch(async () => new Response(null, { status }))('https://issuer.example', init)
    expect(reply.status).toBe(status)
  })
})

describe('an address that secrets may go to', () => {
  it.each([
    'https://issuer.example',
    'https://127.evil.test',
    'http://localhost:9000/realms/a',
    'http://LOCALHOST.',
    'http://idp.localhost:9000',
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433:80',
    'http://0177.0.0.1',
    'http://[::1]:9000',
  ])('is %s', (url) => {
    expect(isSafeUrl(url)).toBe(true)
  })

  it.each([
    'http://issuer.example',
    'http://127.evil.test',
    'http://127.0.0.1.evil.test',
    'http://127.0.0.1.nip.io',
    'http://localhost.evil.test',
    'http://notlocalhost',
    'http://l\u043ecalhost',
    'http://localhost..',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://localhost@evil.test',
    'ftp://localhost',
    'localhost',
    '',
  ])('is not %s', (url) => {
    expect(isSafeUrl(url)).toBe(false)
  })
})
