import { SvcError } from '@svc/errors'
import {
  isPending,
  nameWithoutGallery,
  type Operation,
  type OperationRequest,
  type OperationView,
} from './operation.ts'
import { createProgressMeter, type ProgressMeter } from './progress-meter.ts'

/** An operation outside the history, with the facts that the queue has about it. */
export interface Entry {
  operation: Operation
  readonly meter: ProgressMeter
  /** Characters of its details as JSON. */
  readonly size: number
  readonly stop: AbortController
  isCommitted: boolean
  /** Whether it may not start yet: it is not stored, or another server changes its object. */
  isHeld: boolean
  /** The operation once it is stored: its own one, or that of another server. */
  stored: Promise<Operation>
  /** Resolves when the operation has ended or waits again. */
  ended: Promise<void>
  /** The notes of its progress in the database. */
  readonly notes: { isBusy: boolean; isEnded: boolean; written: Promise<void> }
}

/** The entry of an operation that does nothing yet. */
export function createEntry(operation: Operation, size = 0): Entry {
  const meter = createProgressMeter(operation.state === 'queued' ? 'Operation queued' : (operation.error ?? ''))
  if (operation.state === 'completed') meter.done('completed')
  return {
    operation,
    meter,
    size,
    stop: new AbortController(),
    isCommitted: false,
    isHeld: false,
    stored: Promise.resolve(operation),
    ended: Promise.resolve(),
    notes: { isBusy: false, isEnded: false, written: Promise.resolve() },
  }
}

/** Whether the operation can be ended from outside. */
export function isCancellable(entry: Entry): boolean {
  const { state, action } = entry.operation
  if (entry.stop.signal.aborted) return false
  return state === 'queued' || (state === 'running' && action === 'installation' && !entry.isCommitted)
}

/** @throws {SvcError} `invalid_request` for an operation that cannot be ended from outside */
export function checkStoppable(jobId: string, entry: Entry | undefined): asserts entry is Entry {
  if (entry === undefined || !isPending(entry.operation)) {
    throw refusal('operation_not_found', `operation "${jobId}" not found or already completed`)
  }
  if (entry.stop.signal.aborted) throw refusal('operation_cancelled', `operation "${jobId}" is already cancelled`)
  if (isCancellable(entry)) return
  const isDeletion = entry.operation.action === 'deletion'
  const reason = isDeletion ? 'a running removal cannot be interrupted' : 'it is being finished'
  throw refusal('operation_not_cancellable', `operation "${jobId}" cannot be cancelled: ${reason}`)
}

/** An entry as others see it. @param nowMs a clock that only goes forward */
export function toView(entry: Entry, nowMs: number): OperationView {
  const rate = entry.operation.state === 'running' ? entry.meter.readRate(nowMs) : {}
  return { ...entry.operation, progress: entry.meter.progress, rate, cancellable: isCancellable(entry) }
}

/** Sorts operations, the least advanced first. */
export function sortViews(views: readonly OperationView[]): readonly OperationView[] {
  return [...views].sort(
    (one, other) => one.progress.percent - other.progress.percent || compare(one.fullName, other.fullName),
  )
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Whether two changes are of one object: names are compared without case, and whichever gallery has them. */
export function isSameObject(one: OperationRequest, other: OperationRequest): boolean {
  return one.subject === other.subject && one.nodeId === other.nodeId && toKey(one) === toKey(other)
}

/** Whether two changes of one object are the same. */
export function isSameChange(one: OperationRequest, other: OperationRequest): boolean {
  return one.action === other.action && JSON.stringify(one.details) === JSON.stringify(other.details)
}

function toKey({ fullName }: OperationRequest): string {
  return nameWithoutGallery(fullName).toLowerCase()
}

export function refusal(code: string, message: string): SvcError {
  return new SvcError('invalid_request', message, { code })
}
