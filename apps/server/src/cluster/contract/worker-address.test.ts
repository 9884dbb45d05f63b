import { expect, it } from 'vitest'
import { installReply } from './node-requests.ts'
import { readWorkerAddress } from './worker-address.ts'

it.each([
  ['10.0.0.1:50051', { host: '10.0.0.1', port: 50_051 }],
  ['Gpu-1.lan:1', { host: 'Gpu-1.lan', port: 1 }],
  ['[fd00::1]:65535', { host: '[fd00::1]', port: 65_535 }],
])('reads %s', (text, address) => {
  expect(readWorkerAddress(text)).toEqual(address)
  expect(installReply.safeParse({ success: true, address: text })).toMatchObject({ success: true })
})

it.each([
  'unix:/run/other.sock',
  'unix:1',
  'dns:///other:1',
  'http://other:1',
  'user@other:1',
  'other',
  'other:0',
  'other:65536',
  ':1',
  '999.1.1.1:80',
  '[::::]:80',
  'a:1/x',
  'a:1\n',
])('refuses %j, also as the address of a process', (text) => {
  expect(readWorkerAddress(text)).toBeUndefined()
  expect(installReply.safeParse({ success: true, address: text })).toMatchObject({ success: false })
})
