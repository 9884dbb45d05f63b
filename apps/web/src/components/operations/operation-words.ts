import type { TFunction } from 'i18next'
import { formatBytes, formatDuration, formatPercent } from '../../lib/format.ts'
import { type Operation, readOperationState } from '../../lib/operations/operation.ts'

const PHASES: Readonly<Record<NonNullable<Operation['phase']>, string>> = {
  'Resolving files': 'phase.resolving',
  Downloading: 'phase.downloading',
  Verifying: 'phase.verifying',
  Finalizing: 'phase.finalizing',
  'Saving configuration': 'phase.saving',
}

const WORKER_STATES: Readonly<Record<string, string>> = {
  Queued: 'worker.queued',
  Downloading: 'worker.downloading',
  'Worker busy': 'worker.busy',
  Done: 'worker.done',
  Failed: 'worker.failed',
}

/** What is done to what, such as `Install model`. @param t of the namespace `operations` */
export function describeKind(
  { taskType, isBackend }: { readonly taskType: string; readonly isBackend: boolean },
  t: TFunction,
): string {
  return t(`kind.${taskType}`, { context: isBackend ? 'backend' : 'model' })
}

/** What an operation does now. */
export function describePhase(operation: Operation, t: TFunction): string {
  const state = readOperationState(operation)
  if (state !== 'running') return t(`state.${state}`)
  if (operation.phase !== undefined) return t(PHASES[operation.phase])
  return t(`doing.${operation.taskType}`)
}

/** The state of a worker's part. */
export function describeWorkerState(status: string, t: TFunction): string {
  const key = WORKER_STATES[status]
  return key === undefined ? status : t(key)
}

/** Progress, bytes, rate and time left, as far as they are known. */
export function listFacts(operation: Operation, t: TFunction): readonly string[] {
  const { progress, currentBytes, totalBytes, bytesPerSecond, secondsLeft } = operation
  const total = totalBytes === undefined || totalBytes === 0 ? undefined : formatBytes(totalBytes)
  if (operation.isQueued) return total === undefined ? [] : [total]
  const current = currentBytes === undefined || currentBytes === 0 ? undefined : formatBytes(currentBytes)
  return [
    formatPercent(progress / 100),
    ...(current === undefined ? [] : [total === undefined ? current : t('bytesOf', { current, total })]),
    ...(bytesPerSecond === undefined || bytesPerSecond <= 0 ? [] : [t('rate', { bytes: formatBytes(bytesPerSecond) })]),
    ...(secondsLeft === undefined ? [] : [t('left', { time: formatDuration(Math.ceil(secondsLeft) * 1000) })]),
  ]
}
