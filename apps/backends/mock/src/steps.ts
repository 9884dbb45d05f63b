import { setTimeout as sleep } from 'node:timers/promises'
import { StatusError } from '@svc/backend-kit'
import { crash } from './crash.ts'
import { type MockBehaviour, STATUS_CODES } from './script.ts'

/** Waits, for ever without a time; throws at once when the call is cancelled. */
export async function wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (ms === 0) return
  if (ms !== undefined) await sleep(ms, undefined, { signal })
  else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

/** Performs the scripted fault after this many pieces (0: before the first, or in place of a unary answer). */
export async function misbehave(behaviour: MockBehaviour, pieces: number, signal: AbortSignal): Promise<void> {
  const { failure, hang } = behaviour
  if (behaviour.crash && (behaviour.crash.afterPieces ?? 0) === pieces) {
    // Written data leaves the process after a turn of the event loop; an earlier crash would lose it.
    if (pieces > 0) await sleep(20)
    crash(behaviour.crash)
  }
  if (failure && (failure.afterPieces ?? 0) === pieces) {
    throw new StatusError(STATUS_CODES[failure.status], failure.message)
  }
  if (hang !== undefined && hang !== false && (hang === true ? 0 : hang) === pieces) await wait(undefined, signal)
}
