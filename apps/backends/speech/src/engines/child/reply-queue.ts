import type { EngineReply } from './protocol.ts'

/** Replies that wait for their reader. A process that sends more without being read has gone wrong. */
const MAX_QUEUED = 4096

/** Replies of a process in their order, for one reader. */
export interface ReplyQueue {
  /** @returns whether there was room */
  push(reply: EngineReply): boolean
  /** Ends the queue: the reader gets the queued replies, then the error. */
  fail(error: unknown): void
  /** Waits for the next reply. @throws the error of {@link fail}, or the signal's reason once it is aborted */
  next(signal: AbortSignal): Promise<EngineReply>
}

/** Creates an empty queue. */
export function createReplyQueue(): ReplyQueue {
  const queued: EngineReply[] = []
  let failure: { readonly error: unknown } | undefined
  let wake = (): void => {}
  return {
    push: (reply) => {
      if (queued.length >= MAX_QUEUED) return false
      queued.push(reply)
      wake()
      return true
    },
    fail: (error) => {
      failure ??= { error }
      wake()
    },
    next: async (signal) => {
      for (;;) {
        signal.throwIfAborted()
        const reply = queued.shift()
        if (reply !== undefined) return reply
        if (failure !== undefined) throw failure.error
        await new Promise<void>((resolve) => {
          const go = (): void => {
            signal.removeEventListener('abort', go)
            resolve()
          }
          wake = go
          signal.addEventListener('abort', go, { once: true })
        })
      }
    },
  }
}
