/** Closes an opened thing. */
export type Close = () => Promise<unknown> | unknown

/** The open things of a server, in the order of opening. */
export interface Closers {
  push(...closes: readonly Close[]): void
  /** Closes everything, the last one first, even if one fails. @throws the first failure, once everything is closed */
  closeAll(): Promise<void>
}

/** Creates an empty list. */
export function createClosers(): Closers {
  const opened: Close[] = []
  return {
    push: (...closes) => void opened.push(...closes),
    async closeAll() {
      const errors: unknown[] = []
      for (let close = opened.pop(); close !== undefined; close = opened.pop()) {
        try {
          await close()
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}
