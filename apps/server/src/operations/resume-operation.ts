import type { Clock } from '../ports.ts'
import type { Operation } from './operation.ts'

const INTERRUPTED = 'interrupted by restart'
/** Resumes without progress. After that the installation may be the cause of the server's end. */
const MAX_RESUMES = 3

/** Finds the present state of an operation that ran when the server ended. */
export async function resumeOperation(
  operation: Operation,
  {
    clock,
    wasCommitted,
  }: {
    readonly clock: Pick<Clock, 'now'>
    /** Whether the installation was done when the server ended. @default never */
    readonly wasCommitted?: ((operation: Operation) => Promise<boolean>) | undefined
  },
): Promise<Operation> {
  const finishedAt = clock.now()
  if (operation.action === 'deletion') return { ...operation, state: 'failed', error: INTERRUPTED, finishedAt }
  if ((await wasCommitted?.(operation)) === true) return { ...operation, state: 'completed', finishedAt }
  const { count, bytes } = operation.resumes ?? { count: 0, bytes: 0 }
  if (count >= MAX_RESUMES) return { ...operation, state: 'failed', error: INTERRUPTED, finishedAt }
  return { ...operation, state: 'queued', startedAt: undefined, resumes: { count: count + 1, bytes } }
}
