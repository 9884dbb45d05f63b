import { expect, it } from 'vitest'
import { findNearestLoad, notBegun, toLoadObject } from './load-object.ts'
import type { LoadProgress } from './nodes.ts'

const load = (fields: Partial<LoadProgress>): LoadProgress => ({ ...notBegun('m'), ...fields })

it('of several loads the one is shown that is nearest to its end', () => {
  const staging = load({ state: 'staging', progress: 0.5 })
  const loads = [load({ state: 'failed' }), load({}), load({ state: 'staging', progress: 0.2 }), staging]
  expect(findNearestLoad(loads)).toBe(staging)
  expect(findNearestLoad([...loads, load({ state: 'loading' })])?.state).toBe('loading')
  expect(findNearestLoad([load({ state: 'failed' })])).toBeUndefined()
})

it('a load is shown without what is not known', () => {
  const numbers = { progress: 0, bytes_sent: 0, total_bytes: 0, file_index: 0, total_files: 0 }
  expect(toLoadObject({ ...load({}), state: 'pending' })).toEqual({ model: 'm', state: 'pending', ...numbers })
  const sent = { progress: 0.25, bytesSent: 1, totalBytes: 4, fileIndex: 1, totalFiles: 2 }
  expect(toLoadObject({ ...load({ nodeId: 'n', nodeName: 'w1', etaSeconds: 3, ...sent }), state: 'staging' })).toEqual({
    model: 'm',
    state: 'staging',
    node: 'w1',
    progress: 0.25,
    bytes_sent: 1,
    total_bytes: 4,
    file_index: 1,
    total_files: 2,
    eta_seconds: 3,
  })
})
