import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { readOwnToken } from './own-token.ts'
import { createKey, derivePassword, deriveServiceName, formatToken, isAddress, readToken } from './token.ts'

const ADDRESS = '/ip4/192.0.2.1/tcp/4001/p2p/12D3KooWLFccqWkecYXYCuiKcE3UP7xyG15WrTnfoKBJqFETwtEg'

it('reads a token as it was written', () => {
  const facts = { key: createKey(), peers: [ADDRESS] }
  expect(readToken(formatToken(facts))).toEqual(facts)
  expect(readToken(` ${formatToken(facts)}\n`)).toEqual(facts)
})

it.each([
  ['nothing', ''],
  ['a word', 'hello'],
  ['a token of another form', Buffer.from('otp:\n  dht:\n    interval: 360\n').toString('base64')],
  ['a short key', Buffer.from(JSON.stringify({ svc: 1, key: 'ab' })).toString('base64url')],
  [
    'a foreign address',
    Buffer.from(JSON.stringify({ svc: 1, key: createKey(), peers: ['http://x'] })).toString('base64url'),
  ],
  ['a flood', 'A'.repeat(100_000)],
])('refuses %s', (_, text) => {
  expect(() => readToken(text)).toThrow(expect.objectContaining({ code: 'invalid_p2p_token' }))
})

it('derives another password for another key, network and period', () => {
  const place = { key: createKey(), networkId: 'a', period: 1 }
  const others = [
    { ...place, key: createKey() },
    { ...place, networkId: 'b' },
    { ...place, period: 2 },
  ]
  const passwords = [place, ...others].map((one) => Buffer.from(derivePassword(one)).toString())
  expect(new Set(passwords).size).toBe(4)
  expect(passwords[0]).toMatch(/^\/key\/swarm\/psk\/1\.0\.0\/\n\/base16\/\n[0-9a-f]{64}\n$/)
  expect(deriveServiceName(place)).not.toContain(place.key.slice(0, 8))
})

it.each([
  [ADDRESS, true],
  ['/dns4/worker.example.org/tcp/4001', true],
  ['/ip6/::1/tcp/4001', true],
  ['/ip4/192.0.2.1/udp/4001/quic-v1', false],
  ['/ip4/192.0.2.1/tcp/4001/../x', false],
])('tells addresses: %s', (text, isOne) => {
  expect(isAddress(text)).toBe(isOne)
})

it('makes a key once and keeps it', async () => {
  await using folder = await tempDir()
  const file = `${folder.path}/p2p-key`
  const made = await readOwnToken('', file)
  expect(await readOwnToken('0', file)).toEqual(made)
  const given = { key: createKey(), peers: [] }
  expect(await readOwnToken(formatToken(given), file)).toEqual(given)
})
