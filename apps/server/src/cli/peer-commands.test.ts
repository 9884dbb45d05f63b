import { expect, it } from 'vitest'
import { readPlace } from './peer-commands.ts'

it.each([
  ['50052', { host: '127.0.0.1', port: 50_052 }],
  ['192.0.2.7:50052', { host: '192.0.2.7', port: 50_052 }],
  ['[::1]:50052', { host: '::1', port: 50_052 }],
  ['gpu.example:50052', { host: 'gpu.example', port: 50_052 }],
  ['rpc-server', undefined],
  ['/usr/local/bin/rpc-server', undefined],
  ['0', undefined],
  ['70000', undefined],
])('reads the place of a worker: %s', (text, place) => {
  expect(readPlace(text)).toEqual(place)
})
