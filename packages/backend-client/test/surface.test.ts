import { expect, it } from 'vitest'
import * as entry from '../src/index.ts'
import * as proto from '../src/proto.ts'
import { RPCS } from './contract-table.ts'
import { describe as describeFile } from './descriptor.ts'

it('exports exactly this', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'BackendError',
    'createBackendClient',
    'ensureSuccess',
    'pushReplies',
    'readStatus',
  ])
})

it('exports every message and enum of the contract from ./proto', () => {
  const file = describeFile('backend.proto')
  const nested = file.messageType.flatMap(({ name, enumType }) => enumType.map((one) => `${name}_${one.name}`))
  const names = [...file.messageType, ...file.enumType].map(({ name }) => name)
  expect([...names, ...nested].filter((name) => !(name in proto))).toEqual([])
})

it('exports every message and enum of our own service from ./proto', () => {
  const file = describeFile('extensions.proto')
  const names = [...file.messageType, ...file.enumType].map(({ name }) => name)
  expect(names.filter((name) => !(name in proto))).toEqual([])
})

it('has one method for each rpc, at its path and with its direction', () => {
  const kinds = { unary: '', 'server-stream': ' server stream', duplex: ' bidi' }
  const methods = Object.values(proto.backendMethods).map(({ path, kind }) => `${path}${kinds[kind]}`)
  const rpcs = RPCS.map((line) => line.replace(/^(\w+)\(\w+\) \w+(.*)$/, '/backend.Backend/$1$2'))
  expect(methods.sort()).toEqual(rpcs.sort())
})

it('has one method for each rpc of our own service', () => {
  expect(Object.values(proto.extensionMethods).map(({ path }) => path)).toEqual([
    '/svc.backend.v1.Extensions/Capabilities',
    '/svc.backend.v1.Extensions/SaveSlot',
    '/svc.backend.v1.Extensions/RestoreSlot',
    '/svc.backend.v1.Extensions/Decide',
    '/svc.backend.v1.Extensions/PromptLogprobs',
  ])
})

it('has one call for each method but Health, which is a function of its own', () => {
  const client = entry.createBackendClient({ address: '127.0.0.1:1' })
  expect(Object.keys(proto.backendMethods).filter((name) => !(name in client))).toEqual([])
  expect(Object.keys(client.extensions).sort()).toEqual(Object.keys(proto.extensionMethods).sort())
  client.close()
})
