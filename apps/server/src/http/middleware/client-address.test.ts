import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTunnelledClients } from '../tunnelled-clients.ts'
import { readOrigin, readPrefix, trustedProxies } from './client-address.ts'

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
      expect(readOrigin(from('192.0.2.1', FORWARDED), { proxies })).toEqual({
        address: '192.0.2.1',
        secure: false,
        host: 'own:8080',
      })
    }
  })

  it('takes the last hop that is not a trusted proxy itself', () => {
    const proxies = trustedProxies(['10.0.0.0/8', '::1'])
    expect(readOrigin(from('10.1.2.3', FORWARDED), { proxies })).toEqual({
      address: '203.0.113.9',
      secure: true,
      host: 'models.example',
    })
    expect(readOrigin(from('::1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.2' }), { proxies }).address).toBe(
      '198.51.100.2',
    )
    expect(readOrigin(from('10.1.2.3', { 'x-forwarded-for': 'nonsense, 10.0.0.9' }), { proxies }).address).toBe(
      '10.1.2.3',
    )
  })

  it.each([
    ['198.51.100.2, 203.0.113.9:4711', '203.0.113.9'],
    ['198.51.100.2, [2001:db8::1]:4711', '2001:db8::1'],
    ['198.51.100.2, [2001:db8::1]', '2001:db8::1'],
    ['198.51.100.2, ::ffff:203.0.113.9, 10.0.0.7', '::ffff:203.0.113.9'],
    ['198.51.100.2, unknown', '10.1.2.3'],
    ['198.51.100.2, unknown, 10.0.0.7', '10.1.2.3'],
    ['198.51.100.2, 010.0.0.1', '10.1.2.3'],
    ['198.51.100.2,', '10.1.2.3'],
    ['198.51.100.2, 203.0.113.9:x', '10.1.2.3'],
  ])('goes by the last hop of %s, and by nothing that the client wrote before it', (forwarded, address) => {
    const proxies = trustedProxies(['10.0.0.0/8'])
    expect(readOrigin(from('10.1.2.3', { 'x-forwarded-for': forwarded }), { proxies }).address).toBe(address)
  })

  it('believes nobody behind a tunnel, and does not take a client there for this machine', async () => {
    const tunnels = createTunnelledClients()
    const clients = { proxies: trustedProxies(['127.0.0.0/8', '::1']), tunnels }
    const server = createServer().listen(0, '::')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const [here, inside] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    const ends: Socket[] = []
    for (const socket of [here, inside]) {
      const [end] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')]))[0] as [Socket]
      ends.push(end)
    }
    tunnels.note(inside, 'p2p/192.0.2.7')
    const [ofHere, ofInside] = ends.map(
      (socket) => ({ socket, headers: { host: 'own:8080', ...FORWARDED, 'x-forwarded-prefix': '/a' } }) as never,
    ) as [never, never]
    // The server sees IPv4 addresses as IPv6.
    expect(readOrigin(ofHere, { ...clients, proxies: { has: () => true } }).host).toBe('models.example')
    expect(readPrefix(ofHere, { ...clients, proxies: { has: () => true } })).toBe('/a')
    expect(readOrigin(ofInside, { ...clients, proxies: { has: () => true } })).toEqual({
      address: 'p2p/192.0.2.7',
      secure: false,
      host: 'own:8080',
    })
    expect(readPrefix(ofInside, { ...clients, proxies: { has: () => true } })).toBe('')
    const closed = once(inside, 'close')
    inside.destroy()
    await closed
    expect(tunnels.find(ends[1] as Socket)).toBeUndefined()
    here.destroy()
    server.close()
  })

  it('keeps anything out of links that is not a host', () => {
    const proxies = trustedProxies(['10.0.0.0/8'])
    for (const host of ['//evil', 'a b', 'a\\b', 'x\r\ny', '<script>']) {
      expect(readOrigin(from('10.1.2.3', { 'x-forwarded-host': host }), { proxies }).host).toBe('own:8080')
    }
  })
})

describe('trustedProxies', () => {
  it('names an entry that is no address and no range', () => {
    expect(() => trustedProxies(['10.0.0.0/8', 'proxy.local'])).toThrow('proxy.local')
  })
})
