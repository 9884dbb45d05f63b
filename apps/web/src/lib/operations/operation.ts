import type { paths } from '../schema.gen.ts'

type Reply<Path extends '/api/operations' | '/api/operations/history'> =
  paths[Path]['get']['responses'][200]['content']['application/json']

/** An operation that waits, runs or has failed. */
export type Operation = Reply<'/api/operations'>['operations'][number]

/** An operation that has ended. */
export type OperationRecord = Reply<'/api/operations/history'>['operations'][number]

/** State of an operation; `failed` ones stay until they are dismissed. */
export type OperationState = 'queued' | 'running' | 'failed'

/** The state of an operation. */
export function readOperationState({ error, isQueued }: Pick<Operation, 'error' | 'isQueued'>): OperationState {
  if (error !== undefined && error !== '') return 'failed'
  return isQueued ? 'queued' : 'running'
}

/** The outcome of an operation; a paused one can go on. */
export function readOutcome({ outcome, paused }: Pick<OperationRecord, 'outcome' | 'paused'>) {
  return outcome === 'cancelled' && paused === true ? 'paused' : outcome
}

/** Time until the next request, in milliseconds: each second while something runs or waits. */
export function chooseOperationInterval(operations: readonly Operation[] | undefined): number {
  return operations?.some((operation) => readOperationState(operation) !== 'failed') ? 1_000 : 15_000
}

/** Progress of all operations that run or wait, 0 to 1. */
export function averageProgress(operations: readonly Operation[]): number {
  const active = operations.filter((operation) => readOperationState(operation) !== 'failed')
  if (active.length === 0) return 0
  return active.reduce((sum, { progress }) => sum + progress, 0) / active.length / 100
}

/**
 * The operation on a model or backend that waits or runs, if there is one. Two galleries' models of one name are one model
 * here.
 *
 * @param name with or without the name of its gallery
 */
export function findActiveOperation(
  operations: readonly Operation[] | undefined,
  { kind, name }: { readonly kind: 'model' | 'backend'; readonly name: string },
): Operation | undefined {
  return operations?.find(
    (operation) => readOperationState(operation) !== 'failed' && isAbout(operation, { kind, name }),
  )
}

/** Whether an operation, running or ended, is about a model or backend. @param target.name with or without its gallery */
export function isAbout(
  { id, name: known, isBackend }: Pick<Operation, 'id' | 'name' | 'isBackend'>,
  { kind, name }: { readonly kind: 'model' | 'backend'; readonly name: string },
): boolean {
  return isBackend === (kind === 'backend') && (known === name.slice(name.indexOf('@') + 1) || id === name)
}
