import { expect, it } from 'vitest'
import { parseBackendAddress } from './address.ts'

it.each([
  ['127.0.0.1:50051', { kind: 'tcp', host: '127.0.0.1', port: 50_051 }],
  ['localhost:0', { kind: 'tcp', host: 'localhost', port: 0 }],
  ['[::1]:8080', { kind: 'tcp', host: '::1', port: 8080 }],
  ['backend.example:65535', { kind: 'tcp', host: 'backend.example', port: 65_535 }],
  ['unix:/run/a b.sock', { kind: 'unix', path: '/run/a b.sock' }],
  ['unix:///run/a.sock', { kind: 'unix', path: '/run/a.sock' }],
  ['unix:relative.sock', { kind: 'unix', path: 'relative.sock' }],
] as const)('reads %s', (text, address) => {
  expect(parseBackendAddress(text)).toEqual(address)
})

it.each([
  '',
  'localhost',
  ':1',
  'localhost:',
  'localhost:65536',
  'localhost:1x',
  '::1:80',
  'http://a:1',
  'a b:1',
  'unix:',
  'unix:/a\0b',
])('refuses %j', (text) => {
  expect(() => parseBackendAddress(text)).toThrow(
    expect.objectContaining({ kind: 'invalid_request', code: 'backend_address' }),
  )
})

it('refuses a socket path that the kernel would cut', () => {
  const longest = process.platform === 'linux' ? 107 : 103
  const path = `/${'a'.repeat(longest - 1)}`
  expect(parseBackendAddress(`unix:${path}`)).toEqual({ kind: 'unix', path })
  expect(() => parseBackendAddress(`unix:${path}b`)).toThrow(`at most ${longest} bytes`)
})
