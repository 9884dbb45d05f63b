import { type Operation, type OperationState, readOperationState } from './operation.ts'

/** The changes between two looks at the operations. */
export interface OperationChanges {
  /** Operations that are not listed any more: done, cancelled or dismissed. */
  readonly gone: readonly Operation[]
  /** Operations that have newly failed. */
  readonly failed: readonly Operation[]
  /** Operations in a new phase, or past another quarter; worth saying aloud. */
  readonly advanced: readonly Operation[]
}

/** Compares two looks at the operations. */
export function compareOperations(before: readonly Operation[], after: readonly Operation[]): OperationChanges {
  const earlier = new Map(before.map((operation) => [operation.jobID, operation]))
  const later = new Set(after.map(({ jobID }) => jobID))
  const isFailed = (operation: Operation) => readOperationState(operation) === 'failed'
  const isNew = (operation: Operation) => {
    const known = earlier.get(operation.jobID)
    return known === undefined || !isFailed(known)
  }
  return {
    gone: before.filter(({ jobID }) => !later.has(jobID)),
    failed: after.filter((operation) => isFailed(operation) && isNew(operation)),
    advanced: after.filter((operation) => !isFailed(operation) && hasAdvanced(earlier.get(operation.jobID), operation)),
  }
}

function hasAdvanced(before: Operation | undefined, after: Operation): boolean {
  if (before === undefined) return true
  const quarter = ({ progress }: Operation) => Math.floor(progress / 25)
  return before.phase !== after.phase || before.isQueued !== after.isQueued || quarter(before) < quarter(after)
}

/** The buttons that an operation has. */
export interface OperationButtons {
  readonly canCancel: boolean
  readonly canPause: boolean
  readonly canRetry: boolean
  readonly canDismiss: boolean
}

/**
 * The buttons of an operation. Anything that waits can be cancelled and paused, a running installation can be cancelled
 * and, while it downloads, paused; a running removal cannot be ended. Installations from a gallery that failed can be
 * tried again.
 */
export function listButtons(operation: Operation): OperationButtons {
  const state: OperationState = readOperationState(operation)
  const isInstallation = operation.taskType === 'installation'
  if (state === 'failed') {
    return {
      canCancel: false,
      canPause: false,
      canRetry: isInstallation && isFromGallery(operation),
      canDismiss: operation.taskType !== 'staging',
    }
  }
  const canCancel = operation.cancellable && (state === 'queued' || isInstallation)
  return {
    canCancel,
    canPause: canCancel && (state === 'queued' || operation.phase === 'Downloading'),
    canRetry: false,
    canDismiss: false,
  }
}

/** Whether the same target can be installed again by its name. Models without a gallery were imported. */
export function isFromGallery({ id, isBackend }: { readonly id: string; readonly isBackend: boolean }): boolean {
  return isBackend || id.includes('@')
}
