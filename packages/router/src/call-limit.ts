import { checkArgument } from '@svc/errors'
import { RouterError } from './errors.ts'

/** Calls that run at a time, by default. */
const DEFAULT_MAX_CALLS = 8
/** Calls that wait for a place, by default. */
const DEFAULT_MAX_WAITING = 1024

/** Lets a number of calls run at a time. Everything that must not exceed it together shares it. */
export interface CallLimit {
  /** @returns a function that gives the place back; undefined where no place is free */
  enter(): (() => void) | undefined
  /**
   * Waits for a place, first come, first served.
   *
   * @returns a function that gives the place back
   * @throws the signal's reason; `router_busy` where too many calls wait
   */
  wait(options: { readonly signal: AbortSignal }): Promise<() => void>
}

/** Options of {@link createCallLimit}. */
export interface CallLimitOptions {
  /** @default 1024 */
  readonly maxWaiting?: number | undefined
}

/** A limit of `maxCalls` calls. */
export function createCallLimit(maxCalls: number = DEFAULT_MAX_CALLS, options: CallLimitOptions = {}): CallLimit {
  const { maxWaiting = DEFAULT_MAX_WAITING } = options
  for (const [name, value] of Object.entries({ maxCalls, maxWaiting })) {
    checkArgument(Number.isSafeInteger(value) && value > 0, `createCallLimit: ${name}`, 'a positive count', value)
  }
  let running = 0
  const waiting = new Set<(leave: () => void) => void>()

  /** Takes a place, and passes it on to the next waiter once it is given back. */
  function take(): () => void {
    running++
    let isRunning = true
    return () => {
      if (!isRunning) return
      isRunning = false
      running--
      const [next] = waiting
      next?.(take())
    }
  }
  return {
    enter: () => (running < maxCalls ? take() : undefined),
    async wait({ signal }) {
      signal.throwIfAborted()
      if (running < maxCalls) return take()
      if (waiting.size >= maxWaiting) {
        throw new RouterError('internal', `more than ${maxWaiting} calls wait for a place`, { code: 'router_busy' })
      }
      return await new Promise<() => void>((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(begin)
          reject(signal.reason)
        }
        const begin = (leave: () => void): void => {
          waiting.delete(begin)
          signal.removeEventListener('abort', stop)
          resolve(leave)
        }
        waiting.add(begin)
        signal.addEventListener('abort', stop, { once: true })
      })
    },
  }
}
