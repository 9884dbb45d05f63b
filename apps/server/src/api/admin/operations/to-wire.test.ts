import { expect, it } from 'vitest'
import type { OperationView } from '../../../operations/operation.ts'
import { toWireOperation, toWireRecord } from './to-wire.ts'

const view: OperationView = {
  subject: 'backend',
  action: 'installation',
  fullName: 'mock',
  details: { nodeName: 'w1' },
  nodeId: 'n1',
  jobId: 'j1',
  state: 'running',
  position: 1,
  createdAt: 0,
  progress: {
    percent: 40.5,
    message: 'it runs',
    phase: 'Downloading',
    fileName: 'a.tar',
    currentBytes: 4,
    totalBytes: 9,
  },
  rate: {},
  cancellable: true,
}

// verifies operation:field:nodes, operation:node:status
it.each([
  [{ state: 'queued' }, 'Queued'],
  [{}, 'Downloading'],
  [{ progress: { percent: 95, message: 'it starts', phase: 'Finalizing' } }, 'Worker busy'],
  [{ state: 'completed' }, 'Done'],
  [{ state: 'failed', error: 'no room' }, 'Failed'],
] as const)('the row of a worker has a status: %j is %s', (fields, status) => {
  expect(toWireOperation({ ...view, ...fields }).nodes).toMatchObject([{ node_id: 'n1', node_name: 'w1', status }])
})

// verifies operation:node:details
it('the row of a worker names the file, its bytes and the error', () => {
  expect(toWireOperation({ ...view, state: 'failed', error: 'no room' }).nodes).toEqual([
    {
      ...{ node_id: 'n1', node_name: 'w1', status: 'Failed', error: 'no room' },
      ...{ percentage: 40.5, file_name: 'a.tar', current: 4, total: 9, phase: 'Downloading' },
    },
  ])
  expect(toWireOperation({ ...view, nodeId: undefined })).not.toHaveProperty('nodes')
})

// verifies operation:record:node-id
it('a record names the worker of an operation', () => {
  expect(toWireRecord({ ...view, state: 'completed' })).toMatchObject({ jobID: 'j1', nodeID: 'n1' })
  expect(toWireRecord({ ...view, state: 'completed', nodeId: undefined })).not.toHaveProperty('nodeID')
})
