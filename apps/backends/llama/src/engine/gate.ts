/** Lets running generations pause between two tokens while somebody needs the context for himself. */
export interface Gate {
  /** Runs work while no generation goes on to its next token. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Resolves at once, or when nobody holds the gate any more. */
  pass(): Promise<void>
}

/**
 * An open gate. The engine keeps its context locked while its queue of tokens is not empty, and with two or more
 * sequences generating it never is: without a pause a newcomer would wait until they all have ended.
 */
export function createGate(): Gate {
  let holders = 0
  let opened: Promise<void> = Promise.resolve()
  let open: () => void = () => undefined
  return {
    async hold(work) {
      holders += 1
      if (holders === 1) {
        opened = new Promise((resolve) => {
          open = resolve
        })
      }
      try {
        return await work()
      } finally {
        holders -= 1
        if (holders === 0) open()
      }
    },
    pass: () => opened,
  }
}
