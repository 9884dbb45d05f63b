import { describe, expect, it } from 'vitest'
import { averageProgress, chooseOperationInterval, findActiveOperation, type Operation } from './operation.ts'
import { compareOperations, listButtons } from './operation-changes.ts'

function makeOperation(fields: Partial<Operation> = {}): Operation {
  return {
    id: 'local@cedar',
    name: 'cedar',
    fullName: 'local@cedar',
    jobID: 'job-1',
    progress: 10,
    message: '',
    taskType: 'installation',
    isDeletion: false,
    isBackend: false,
    isQueued: false,
    cancellable: true,
    ...fields,
  }
}

describe('two looks at the operations', () => {
  it('tell what is gone and what has failed', () => {
    const before = [makeOperation(), makeOperation({ jobID: 'job-2' })]
    const after = [makeOperation({ jobID: 'job-2', error: 'disk full' })]
    const changes = compareOperations(before, after)
    expect(changes.gone.map(({ jobID }) => jobID)).toEqual(['job-1'])
    expect(changes.failed.map(({ jobID }) => jobID)).toEqual(['job-2'])
    expect(changes.advanced).toEqual([])
  })

  it('tell a failure once', () => {
    const failed = makeOperation({ error: 'disk full' })
    expect(compareOperations([failed], [failed]).failed).toEqual([])
  })

  it.each([
    ['a new one', undefined, makeOperation(), true],
    ['one that began', makeOperation({ isQueued: true }), makeOperation(), true],
    ['a new phase', makeOperation({ phase: 'Downloading' }), makeOperation({ phase: 'Verifying' }), true],
    ['another quarter', makeOperation({ progress: 24 }), makeOperation({ progress: 26 }), true],
    ['a step within a quarter', makeOperation({ progress: 26 }), makeOperation({ progress: 49 }), false],
  ])('say aloud %s: %#', (_, before, after, isSaid) => {
    const { advanced } = compareOperations(before === undefined ? [] : [before], [after])
    expect(advanced.length === 1).toBe(isSaid)
  })
})

describe('the buttons of an operation', () => {
  const none = { canCancel: false, canPause: false, canRetry: false, canDismiss: false }
  it.each([
    ['queued', makeOperation({ isQueued: true }), { ...none, canCancel: true, canPause: true }],
    ['a queued removal', makeOperation({ isQueued: true, taskType: 'deletion' }), { canCancel: true, canPause: true }],
    ['downloading', makeOperation({ phase: 'Downloading' }), { ...none, canCancel: true, canPause: true }],
    ['verifying', makeOperation({ phase: 'Verifying' }), { ...none, canCancel: true }],
    ['a running removal', makeOperation({ taskType: 'deletion', cancellable: false }), none],
    ['a failed installation', makeOperation({ error: 'x' }), { ...none, canRetry: true, canDismiss: true }],
    ['a failed import', makeOperation({ error: 'x', id: 'cedar' }), { canRetry: false, canDismiss: true }],
    ['a failed backend', makeOperation({ error: 'x', id: 'b', isBackend: true }), { canRetry: true }],
    ['a failed removal', makeOperation({ error: 'x', taskType: 'deletion' }), { ...none, canDismiss: true }],
  ])('%s', (_, operation, buttons) => {
    expect(listButtons(operation)).toMatchObject(buttons)
  })
})

describe('the list of operations', () => {
  it('is asked for each second only while something waits or runs', () => {
    expect(chooseOperationInterval(undefined)).toBe(15_000)
    expect(chooseOperationInterval([makeOperation({ error: 'x' })])).toBe(15_000)
    expect(chooseOperationInterval([makeOperation({ isQueued: true })])).toBe(1_000)
  })

  it('has a progress in all, without what failed', () => {
    const list = [makeOperation({ progress: 50 }), makeOperation({ progress: 100 }), makeOperation({ error: 'x' })]
    expect(averageProgress(list)).toBe(0.75)
    expect(averageProgress([])).toBe(0)
  })

  it('finds the operation on a model by any of its names, and no backend of that name', () => {
    const list = [makeOperation({ isBackend: true, jobID: 'backend' }), makeOperation({ jobID: 'model' })]
    expect(findActiveOperation(list, { kind: 'model', name: 'cedar' })?.jobID).toBe('model')
    expect(findActiveOperation(list, { kind: 'model', name: 'local@cedar' })?.jobID).toBe('model')
    expect(findActiveOperation(list, { kind: 'model', name: 'other' })).toBeUndefined()
    expect(findActiveOperation([makeOperation({ error: 'x' })], { kind: 'model', name: 'cedar' })).toBeUndefined()
  })
})
