import type { LiveSession } from './live-session.ts'

/** Shortest press that holds words, milliseconds. */
const LEAST_MS = 250
/** Time that the microphone stays open after a press: people let go with the last sound. */
const TAIL_MS = 200

/** Speaking by a press. */
export interface Press {
  readonly hold: () => void
  /** What was said is sent a moment later. */
  readonly release: () => void
  /** Ends the press; nothing is sent. */
  readonly cancel: () => void
}

export function createPress(parts: {
  readonly session: () => Pick<LiveSession, 'interrupt' | 'clear' | 'commit'> | undefined
  /** Whether a press can begin now. */
  readonly isReady: () => boolean
  readonly onChange: (isHeld: boolean, isTooShort: boolean) => void
  readonly now: () => number
}): Press {
  let beganAt: number | undefined
  let ending: ReturnType<typeof setTimeout> | undefined

  const stop = (isTooShort: boolean) => {
    clearTimeout(ending)
    ending = undefined
    beganAt = undefined
    parts.onChange(false, isTooShort)
  }
  return {
    hold() {
      const session = parts.session()
      if (session === undefined || !parts.isReady()) return
      if (ending !== undefined) {
        // a new press right after the last one goes on with it
        clearTimeout(ending)
        ending = undefined
      }
      if (beganAt !== undefined) return
      beganAt = parts.now()
      session.interrupt()
      session.clear()
      parts.onChange(true, false)
    },
    release() {
      if (beganAt === undefined || ending !== undefined) return
      const heldMs = parts.now() - beganAt
      ending = setTimeout(() => {
        const session = parts.session()
        stop(heldMs < LEAST_MS)
        if (heldMs < LEAST_MS) session?.clear()
        else session?.commit()
      }, TAIL_MS)
    },
    cancel() {
      if (beganAt !== undefined) stop(false)
    },
  }
}
