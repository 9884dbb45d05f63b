import { findActiveOperation, type Operation, type OperationRecord } from '../../lib/operations/operation.ts'
import { isFromGallery } from '../../lib/operations/operation-changes.ts'

/**
 * What can follow a record: `resume` what was paused (its data is kept), `again` what was cancelled, `chat` with what was
 * installed.
 */
export type RecordAction = 'resume' | 'again' | 'chat'

/** What a record is judged by. */
export interface RecordContext {
  /** The whole record, the newest first. */
  readonly records: readonly OperationRecord[]
  /** What waits and runs now. */
  readonly operations: readonly Operation[]
  /** Names of models that can chat. */
  readonly chatModels: ReadonlySet<string>
}

/** What can follow a record; only the newest record of a target has an action. */
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
