import type { OperationView } from '../../../operations/operation.ts'
import type { TaskType } from './schemas.ts'

const RUNNING: Readonly<Record<OperationView['action'], TaskType>> = {
  installation: 'Installation',
  deletion: 'Deletion',
}

/** The kind of each operation by the name of its object, in the words of the management pages. */
export function toTaskTypes(operations: readonly OperationView[]): Readonly<Record<string, TaskType>> {
  return Object.fromEntries(
    operations.map(({ fullName, state, action }) => [fullName, state === 'queued' ? 'Waiting' : RUNNING[action]]),
  )
}
