import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readOrigin, trustedProxies } from './client-address.ts'

const from = (remoteAddress: string, headers: Record<string, string>): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { host: 'own:8080', ...headers } }) as unknown as IncomingMessage

const FORWARDED = {
  'x-forwarded-for': '203.0.113.9, 10.0.0.7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'models.example',
}

describe('readOrigin', () => {
  it('IN-14: ignores forwarded headers of anybody but a trusted proxy', () => {
    for (const proxies of [trustedProxies([]), trustedProxies(['10.0.0.0/8'])]) {
      expect(readOrigin(from('192.0.2.1', FORWARDED), proxies)).toEqual({
        address: '192.0.2.1',
        secure: false,
        host: 'own:8080',
      })
    }
  })

  it('takes the last hop that is not a trusted proxy itself', () => {
    const proxies = trustedProxies(['10.0.0.0/8', '::1'])
    expect(readOrigin(from('10.1.2.3', FORWARDED), proxies)).toEqual({
      address: '203.0.113.9',
      secure: true,
      host: 'models.example',
    })
    expect(readOrigin(from('::1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.2' }), proxies).address).toBe(
      '198.51.100.2',
    )
    expect(readOrigin(from('10.1.2.3', { 'x-forwarded-for': 'nonsense, 10.0.0.9' }), proxies).address).toBe('10.1.2.3')
  })

  it('keeps anything out of links that is not a host', () => {
    const proxies = trustedProxies(['10.0.0.0/8'])
    for (const host of ['//evil', 'a b', 'a\\b', 'x\r\ny', '<script>']) {
      expect(readOrigin(from('10.1.2.3', { 'x-forwarded-host': host }), proxies).host).toBe('own:8080')
    }
  })
})

describe('trustedProxies', () => {
  it('names an entry that is no address and no range', () => {
    expect(() => trustedProxies(['10.0.0.0/8', 'proxy.local'])).toThrow('proxy.local')
  })
})
