import { describe, expect, it } from 'vitest'
import type { Operation, OperationRecord } from '../../lib/operations/operation.ts'
import { findRecordAction } from './record-action.ts'

function makeRecord(fields: Partial<OperationRecord> = {}): OperationRecord {
  return {
    id: 'local@cedar',
    name: 'cedar',
    jobID: 'job-1',
    isBackend: false,
    taskType: 'installation',
    outcome: 'cancelled',
    startedAt: '2026-11-27T10:00:00Z',
    finishedAt: '2026-11-27T10:01:00Z',
    ...fields,
  }
}

const nothing = { operations: [], chatModels: new Set<string>() }

describe('what can follow a record', () => {
  it.each([
    ['a paused installation is resumed', makeRecord({ paused: true }), 'resume'],
    ['a cancelled one is installed again', makeRecord(), 'again'],
    ['a paused import has no gallery to come from', makeRecord({ paused: true, id: 'cedar' }), undefined],
    ['a paused backend is resumed by its name', makeRecord({ paused: true, id: 'b', isBackend: true }), 'resume'],
    ['a cancelled removal is over', makeRecord({ taskType: 'deletion' }), undefined],
    ['a model that cannot chat is just there', makeRecord({ outcome: 'completed' }), undefined],
  ] as const)('%s', (_, record, action) => {
    expect(findRecordAction(record, { ...nothing, records: [record] })).toBe(action)
  })

  it('is a chat with a model that can chat', () => {
    const record = makeRecord({ outcome: 'completed' })
    expect(findRecordAction(record, { ...nothing, chatModels: new Set(['cedar']), records: [record] })).toBe('chat')
  })

  it('is offered by the newest record of a target alone', () => {
    const older = makeRecord({ paused: true })
    const newer = makeRecord({ jobID: 'job-2', outcome: 'completed' })
    expect(findRecordAction(older, { ...nothing, records: [newer, older] })).toBeUndefined()
  })

  it('is nothing while the target is installed anew', () => {
    const record = makeRecord({ paused: true })
    const running: Operation = {
      id: 'local@cedar',
      name: 'cedar',
      fullName: 'local@cedar',
      jobID: 'job-2',
      progress: 1,
      message: '',
      taskType: 'installation',
      isDeletion: false,
      isBackend: false,
      isQueued: false,
      cancellable: true,
    }
    expect(findRecordAction(record, { ...nothing, operations: [running], records: [record] })).toBeUndefined()
  })
})
