import type { MediaUsage } from '../../core/events.ts'
import type { OperationContext } from '../operation-runner.ts'

/**
 * Runs a call of a backend. A caller that leaves meanwhile has used what is known of its request; a failure has used
 * nothing.
 */
export async function countWhenLeft<T>(
  { onMedia, signal }: Pick<OperationContext, 'onMedia' | 'signal'>,
  known: MediaUsage | undefined,
  call: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  try {
    return await call()
  } catch (error) {
    if (signal.aborted && known !== undefined) onMedia?.(known)
    throw error
  }
}
