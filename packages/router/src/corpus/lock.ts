/** Runs tasks one after the other. */
export interface Lock {
  run<T>(task: () => Promise<T>): Promise<T>
}

/** A lock; tasks run in the order in which they came. */
export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const ran = last.then(task, task)
      last = ran.catch(() => {})
      return ran
    },
  }
}

/** Waits for a promise that others wait for too. @throws the signal's reason, while the promise goes on */
export async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // It may reject although nobody waits for it any more.
    promise.catch(() => {})
    throw signal.reason
  }
  let leave: () => void = () => {}
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason)
  })
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([promise, left])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
