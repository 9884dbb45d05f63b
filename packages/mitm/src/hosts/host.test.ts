import { expect, it } from 'vitest'
import { bracketed, canonicalHost, readHostAndPort } from './host.ts'

it.each([
  ['api.openai.com', 'api.openai.com'],
  ['API.OpenAI.com.', 'api.openai.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.EXAMPLE', 'xn--bcher-kva.example'],
  ['ａｐｉ.openai.com', 'api.openai.com'],
  ['my_host-1.local', 'my_host-1.local'],
  ['127.0.0.1', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['[::FFFF:127.0.0.1]', '::ffff:7f00:1'],
])('%s is %s', (text, expected) => {
  expect(canonicalHost(text)).toBe(expected)
})

it.each([
  '',
  '.',
  'a..b',
  'user@host',
  'host/path',
  'host?x',
  'host#x',
  'a b',
  '%61pi.openai.com',
  '[fe80::1%eth0]',
  '[::1',
  '::1]',
  '[host]',
  '-a.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'host\\path',
  'host\u0000',
])('%j is not a host', (text) => {
  expect(canonicalHost(text)).toBeUndefined()
})

it.each([
  ['HOST.example.:443', { host: 'host.example', port: 443 }],
  ['[::1]:8443', { host: '::1', port: 8443 }],
  ['10.0.0.1:1', { host: '10.0.0.1', port: 1 }],
  ['host.example:65535', { host: 'host.example', port: 65_535 }],
  ['host.example:00443', { host: 'host.example', port: 443 }],
])('%s has a host and a port', (text, expected) => {
  expect(readHostAndPort(text)).toEqual(expected)
})

it.each([
  'host.example',
  'host.example:',
  'host.example:0',
  'host.example:65536',
  'host.example:000443',
  'h:1:2',
  '::1:443',
  ':443',
  'h: 443',
  'h:+1',
])('%j is not a target', (text) => {
  expect(readHostAndPort(text)).toBeUndefined()
})

it('takes the default port where none stands', () => {
  expect(readHostAndPort('host.example', 443)).toEqual({ host: 'host.example', port: 443 })
  expect(readHostAndPort('[::1]', 443)).toEqual({ host: '::1', port: 443 })
})

it.each([0, 65_536])('takes no default port %i', (port) => {
  expect(readHostAndPort('host.example', port)).toBeUndefined()
})

it.each([
  ['a', 'a'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
  [`${'a.'.repeat(126)}aa`, undefined],
  ['a-.example', undefined],
  ['a..', undefined],
  ['a]', undefined],
  ['[a', undefined],
  ['1:2', undefined],
])('the host %j is %j', (text, expected) => {
  expect(canonicalHost(text)).toBe(expected)
})

it('is written with brackets where it is an address of IPv6', () => {
  expect([bracketed('a.example'), bracketed('10.0.0.1'), bracketed('::1')]).toEqual(['a.example', '10.0.0.1', '[::1]'])
})
