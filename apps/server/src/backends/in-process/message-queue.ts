/** Messages that may wait to be read before a writer has to wait. */
const MAX_WAITING = 64

/** The messages of a caller on their way to a handler. */
export interface MessageQueue {
  /** Adds a message; resolves when there is room for another, or when no more are read. */
  write(message: object): Promise<void>
  /** Says that no more messages follow. */
  end(): void
  /** Drops the messages that wait and those that follow. */
  close(): void
  /** Reads them in order, once. @throws the reason of the signal once it is aborted */
  read(signal: AbortSignal): AsyncGenerator<object, void>
}

/** Creates a bounded queue. */
export function createMessageQueue(): MessageQueue {
  const waiting: object[] = []
  const writers: (() => void)[] = []
  let reader: (() => void) | undefined
  let isEnded = false

  const wake = (): void => {
    reader?.()
    reader = undefined
  }
  const release = (): void => {
    for (const resolve of writers.splice(0)) resolve()
  }
  return {
    async write(message) {
      if (isEnded) return
      waiting.push(message)
      wake()
      if (waiting.length < MAX_WAITING) return
      await new Promise<void>((resolve) => writers.push(resolve))
    },
    end() {
      isEnded = true
      wake()
      release()
    },
    close() {
      isEnded = true
      waiting.length = 0
      wake()
      release()
    },
    async *read(signal) {
      signal.addEventListener('abort', wake)
      try {
        for (;;) {
          signal.throwIfAborted()
          const message = waiting.shift()
          if (message !== undefined) {
            if (waiting.length < MAX_WAITING) release()
            yield message
          } else if (isEnded) return
          else
            await new Promise<void>((resolve) => {
              reader = resolve
            })
        }
      } finally {
        signal.removeEventListener('abort', wake)
      }
    },
  }
}
