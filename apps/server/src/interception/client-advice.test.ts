import { expect, it } from 'vitest'
import { formatClientAdvice } from './client-advice.ts'

const authority = { fingerprint: 'AA:BB', validUntil: new Date('2036-01-02T03:04:05Z') }

it('names the certificate, its fingerprint and its end', () => {
  const text = formatClientAdvice({ ...authority, certificatePath: '/data/ca.crt', proxy: '127.0.0.1:8888' })
  expect(text.split('\n').slice(0, 3)).toEqual([
    'certificate   /data/ca.crt',
    'fingerprint   SHA-256 AA:BB',
    'valid until   2036-01-02',
  ])
  expect(text).toContain('export HTTPS_PROXY=http://127.0.0.1:8888 ')
  expect(text).toContain('curl --cacert /data/ca.crt ')
})

it.each([
  [undefined, 'http://HOST:PORT '],
  [':8888', 'http://HOST:8888 '],
  ['[::1]:8888', 'http://[::1]:8888 '],
])('writes the address %s as %s', (proxy, shown) => {
  expect(formatClientAdvice({ ...authority, certificatePath: '/ca.crt', proxy })).toContain(shown)
})

it('quotes paths for a shell', () => {
  const text = formatClientAdvice({ ...authority, certificatePath: "/it's mine/ca.crt", proxy: undefined })
  expect(text).toContain(String.raw`export NODE_EXTRA_CA_CERTS='/it'\''s mine/ca.crt'`)
})
