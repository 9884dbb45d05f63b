import { findActiveOperation, type Operation, type OperationRecord } from '../../lib/operations/operation.ts'
import { isFromGallery } from '../../lib/operations/operation-changes.ts'

/**
 * The action that a record offers: `resume` after a pause (the data is kept), `again` after a cancellation, `chat`
 * after the installation of a model.
 */
export type RecordAction = 'resume' | 'again' | 'chat'

/** Facts that decide the action of a record. */
export interface RecordContext {
  /** The whole record, the newest first. */
  readonly records: readonly OperationRecord[]
  /** Operations that wait or run now. */
  readonly operations: readonly Operation[]
  /** Names of models that can chat. */
  readonly chatModels: ReadonlySet<string>
}

/** Finds the action of a record; only the newest record of a target has one. */
export function findRecordAction(
  record: OperationRecord,
  { records, operations, chatModels }: RecordContext,
): RecordAction | undefined {
  const { id, name, isBackend, taskType, outcome } = record
  const newest = records.find((other) => other.id === id && other.isBackend === isBackend)
  if (taskType !== 'installation' || newest !== record) return undefined
  if (outcome === 'completed') return !isBackend && chatModels.has(name) ? 'chat' : undefined
  const isBusy = findActiveOperation(operations, { kind: isBackend ? 'backend' : 'model', name: id }) !== undefined
  if (outcome !== 'cancelled' || isBusy || !isFromGallery(record)) return undefined
  return record.paused === true ? 'resume' : 'again'
}
