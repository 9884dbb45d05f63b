import { SvcError } from '@svc/errors'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { AuditSink } from '../../audit/audit-event.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { MaybePromise } from '../../ports.ts'
import { createWaitingSlots } from '../core/__fixtures__/waiting-slots.ts'
import { createModelSlots, createSlotCounter, type ModelSlots, type SlotCounter } from '../core/admission.ts'
import type { ResolvedRequest } from '../core/pipeline.ts'
import { Cleanup } from '../core/pipeline.ts'
import { createGlobalLimit, createModelLimit } from './limits.ts'

const audit: AuditSink = { record: () => [], flush: () => Promise.resolve() }

/** Lets requests into one of the two limits, of one slot. */
function createDoor(which: 'global' | 'model', slots: { readonly global: SlotCounter; readonly models: ModelSlots }) {
  const limits = { ...createModel().limits, maxConcurrent: 1 }
  const global = createGlobalLimit(slots.global, 1)
  const ofModel = createModelLimit(slots.models, audit)
  return (signal = new AbortController().signal) => {
    const cleanup = new Cleanup()
    const context = { signal, requestId: 'r', principal: { id: 'ada' } }
    const request = { model: createModel({ limits }), context } as unknown as ResolvedRequest
    const entered: MaybePromise<void> = which === 'global' ? global(request, cleanup) : ofModel(request, cleanup)
    return { entered, leave: () => cleanup.run(undefined) }
  }
}

describe.each(['global', 'model'] as const)('the %s limit', (which) => {
  it('of this process answers at once: lets in, refuses with 429, and lets in again', () => {
    const enter = createDoor(which, { global: createSlotCounter(), models: createModelSlots() })
    const first = enter()
    expect(first.entered).toBeUndefined()
    expect(() => enter()).toThrow(expect.objectContaining({ kind: 'rate_limited' }))
    first.leave()
    expect(enter().entered).toBeUndefined()
  })

  it('of several machines may wait for a slot', async () => {
    const slots = createWaitingSlots()
    const enter = createDoor(which, { global: slots.global, models: slots })
    const first = enter()
    await first.entered
    const second = enter()
    await eventually(() => expect([slots.held, slots.waiting]).toEqual([1, 1]))
    first.leave()
    await second.entered
    expect([slots.held, slots.waiting]).toEqual([1, 0])
    second.leave()
    expect(slots.held).toBe(0)
  })

  it('of several machines may refuse', async () => {
    const none = { take: async () => undefined }
    const enter = createDoor(which, { global: none, models: none })
    await expect(enter().entered).rejects.toMatchObject({ kind: 'rate_limited' })
  })

  it('keeps no slot for a request that leaves while it waits', async () => {
    const slots = createWaitingSlots()
    const enter = createDoor(which, { global: slots.global, models: slots })
    const first = enter()
    await first.entered
    const left = new AbortController()
    const second = enter(left.signal)
    await eventually(() => expect(slots.waiting).toBe(1))
    left.abort(new SvcError('cancelled', 'gone', { code: 'client_gone' }))
    await expect(second.entered).rejects.toMatchObject({ code: 'client_gone' })
    second.leave()
    first.leave()
    expect([slots.held, slots.waiting]).toEqual([0, 0])
  })
})
