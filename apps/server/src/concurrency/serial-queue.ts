/** Runs a task once all earlier ones have ended, however they ended. Settles as the task does. */
export type RunInTurn = <T>(task: () => Promise<T>) => Promise<T>

/** Creates a queue whose tasks run one after another. */
export function createSerialQueue(): RunInTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const done = last.then(task)
    last = done.catch(() => undefined)
    return done
  }
}
