import type { TFunction } from 'i18next'
import { formatBytes, formatDuration, formatPercent } from '../../lib/format.ts'
import { type Operation, readOperationState } from '../../lib/operations/operation.ts'

/** Phases and states of workers as the server says them, with their keys. */
const PHASES: Readonly<Record<NonNullable<Operation['phase']>, string>> = {
  'Resolving files': 'resolving',
  Downloading: 'downloading',
  Verifying: 'verifying',
  Finalizing: 'finalizing',
  'Saving configuration': 'saving',
}

type WorkerState = NonNullable<Operation['nodes']>[number]['status']

const WORKER_STATES: Readonly<Record<WorkerState, string>> = {
  Queued: 'queued',
  Downloading: 'downloading',
  'Worker busy': 'busy',
  Done: 'done',
  Failed: 'failed',
}

/** The action and its target, such as `Install model`. */
export function describeKind(
  { taskType, isBackend }: { readonly taskType: string; readonly isBackend: boolean },
  t: TFunction,
): string {
  return isBackend ? t(`operations:backendKind.${taskType}`) : t(`operations:modelKind.${taskType}`)
}

/** The current phase of an operation, in words. */
export function describePhase(operation: Operation, t: TFunction): string {
  const state = readOperationState(operation)
  if (state !== 'running') return t(`operations:state.${state}`)
  if (operation.phase !== undefined) return t(`operations:phase.${PHASES[operation.phase]}`)
  return t(`operations:doing.${operation.taskType}`)
}

/** The state of a worker's part. */
export function describeWorkerState(status: WorkerState, t: TFunction): string {
  return t(`operations:worker.${WORKER_STATES[status]}`)
}

/** Progress, bytes, rate and time left, as far as they are known. */
export function listFacts(operation: Operation, t: TFunction): readonly string[] {
  const { progress, currentBytes, totalBytes, bytesPerSecond, secondsLeft } = operation
  const total = totalBytes === undefined || totalBytes === 0 ? undefined : formatBytes(totalBytes)
  if (operation.isQueued) return total === undefined ? [] : [total]
  const current = currentBytes === undefined || currentBytes === 0 ? undefined : formatBytes(currentBytes)
  return [
    formatPercent(progress / 100),
    ...(current === undefined ? [] : [total === undefined ? current : t('operations:bytesOf', { current, total })]),
    ...(bytesPerSecond === undefined || bytesPerSecond <= 0
      ? []
      : [t('operations:rate', { bytes: formatBytes(bytesPerSecond) })]),
    ...(secondsLeft === undefined
      ? []
      : [t('operations:left', { time: formatDuration(Math.ceil(secondsLeft) * 1000) })]),
  ]
}
