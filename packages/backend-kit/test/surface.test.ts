import { expect, it } from 'vitest'
import * as entry from '../src/index.ts'

it('exports exactly this', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'StatusError',
    'assertModelIdentity',
    'cosineSimilarity',
    'createCallSignals',
    'createLog',
    'createModelHost',
    'createRerankHandlers',
    'createSlotPool',
    'describeHandlers',
    'listenBackend',
    'modelNotLoaded',
    'normalizeVector',
    'orAbort',
    'serveBackend',
    'toEmbeddingResult',
  ])
})
