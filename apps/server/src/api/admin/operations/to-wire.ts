import type { WireOperation, WireOperationNode, WireOperationRecord } from '@svc/wire/native'
import {
  nameWithoutGallery,
  type Operation,
  type OperationProgress,
  type OperationView,
  type StagingView,
  type WorkerRow,
} from '../../../operations/operation.ts'
import type { TransferRate } from '../../../operations/transfer-rate.ts'

/** An operation as lists show it. */
export function toWireOperation(view: OperationView): WireOperation {
  const isQueued = view.state === 'queued'
  return {
    ...splitFullName(view.fullName),
    fullName: view.fullName,
    jobID: view.jobId,
    taskType: view.action,
    isDeletion: view.action === 'deletion',
    isBackend: view.subject === 'backend',
    isQueued,
    cancellable: view.cancellable,
    ...toProgressFields(view.progress, { hasPhase: view.state === 'running' }),
    ...toRateFields(view.rate),
    ...toNodeFields(view),
    ...(view.error === undefined ? {} : { error: view.error, message: view.error }),
  }
}

const WORKER_STATUS: Readonly<Partial<Record<OperationView['state'], WorkerRow['status']>>> = {
  queued: 'Queued',
  completed: 'Done',
  failed: 'Failed',
}

/** The worker of an operation, as the only row of its workers. */
function toNodeFields(view: OperationView): Pick<WireOperation, 'nodeID' | 'nodeName' | 'nodes'> {
  const { nodeId, details, progress, error, state } = view
  if (nodeId === undefined) return {}
  const nodeName = typeof details.nodeName === 'string' ? details.nodeName : nodeId
  const { percent, fileName, currentBytes, totalBytes, phase } = progress
  const running = phase === 'Downloading' ? 'Downloading' : 'Worker busy'
  const status = WORKER_STATUS[state] ?? running
  const row = { nodeId, nodeName, status, percent, fileName, currentBytes, totalBytes, phase, error }
  return { nodeID: nodeId, nodeName, nodes: [toWireNode(row)] }
}

/** Staging as lists show it. */
export function toWireStaging(view: StagingView): WireOperation {
  return {
    ...splitFullName(view.fullName),
    fullName: view.fullName,
    jobID: view.jobId,
    taskType: 'staging',
    isDeletion: false,
    isBackend: false,
    isQueued: false,
    cancellable: false,
    ...toProgressFields(view.progress, { hasPhase: true }),
    ...(view.nodeId === undefined ? {} : { nodeID: view.nodeId }),
    ...(view.nodeName === undefined ? {} : { nodeName: view.nodeName }),
    ...(view.nodes.length === 0 ? {} : { nodes: sortNodes(view.nodes).map(toWireNode) }),
  }
}

/** A finished operation as the history shows it. */
export function toWireRecord(operation: Operation): WireOperationRecord {
  const { createdAt, startedAt = createdAt, finishedAt = startedAt, error } = operation
  const outcome = toOutcome(operation)
  return {
    ...splitFullName(operation.fullName),
    jobID: operation.jobId,
    isBackend: operation.subject === 'backend',
    ...(operation.nodeId === undefined ? {} : { nodeID: operation.nodeId }),
    taskType: operation.action,
    outcome,
    ...(outcome === 'failed' ? { error: error ?? 'unknown reason' } : {}),
    ...(operation.state === 'paused' ? { paused: true } : {}),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
  }
}

function toOutcome({ state }: Operation): WireOperationRecord['outcome'] {
  if (state === 'completed') return 'completed'
  return state === 'cancelled' || state === 'paused' ? 'cancelled' : 'failed'
}

function splitFullName(fullName: string): Pick<WireOperation, 'id' | 'name'> {
  return { id: fullName, name: nameWithoutGallery(fullName) }
}

function toProgressFields(
  { percent, phase, message, currentBytes, totalBytes }: OperationProgress,
  { hasPhase }: { readonly hasPhase: boolean },
): Pick<WireOperation, 'progress' | 'message' | 'phase' | 'currentBytes' | 'totalBytes'> {
  return {
    progress: Math.floor(percent),
    message,
    ...(phase === undefined || !hasPhase ? {} : { phase }),
    ...(currentBytes === undefined ? {} : { currentBytes }),
    ...(totalBytes === undefined ? {} : { totalBytes }),
  }
}

/** Speed and time left in whole numbers, as far as they are known. */
export function toRateFields({
  bytesPerSecond,
  secondsLeft,
}: TransferRate): Pick<WireOperation, 'bytesPerSecond' | 'secondsLeft'> {
  return {
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond: Math.round(bytesPerSecond) }),
    ...(secondsLeft === undefined ? {} : { secondsLeft: Math.ceil(secondsLeft) }),
  }
}

function sortNodes(nodes: readonly WorkerRow[]): readonly WorkerRow[] {
  return nodes.toSorted((one, other) => (one.nodeName < other.nodeName ? -1 : 1))
}

function toWireNode(row: WorkerRow): WireOperationNode {
  return {
    node_id: row.nodeId,
    node_name: row.nodeName,
    status: row.status,
    percentage: row.percent,
    ...(row.fileName === undefined ? {} : { file_name: row.fileName }),
    ...(row.currentBytes === undefined ? {} : { current: row.currentBytes }),
    ...(row.totalBytes === undefined ? {} : { total: row.totalBytes }),
    ...(row.phase === undefined ? {} : { phase: row.phase }),
    ...(row.error === undefined ? {} : { error: row.error }),
  }
}
