import { expect, it } from 'vitest'
import * as entry from '../src/index.ts'

it('exports exactly this', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'StatusError',
    'assertModelIdentity',
    'createLog',
    'describeHandlers',
    'listenBackend',
    'modelNotLoaded',
    'parseOptions',
    'readBoolean',
    'readInteger',
    'readNumber',
    'readSwitch',
    'readWord',
    'serveBackend',
  ])
})
