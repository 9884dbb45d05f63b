/** Something made when it is first asked for. */
export interface Lazy<Value> {
  /** What was made, or nothing so far. */
  readonly value: Value | undefined
  /** Makes it once, however many ask at a time. A failure is not kept: the next to ask tries again. */
  get(): Promise<Value>
  /** Waits until nobody is making it. */
  idle(): Promise<void>
}

/** Puts off `make` until somebody needs the result. */
export function createLazy<Value>(make: () => Promise<Value>): Lazy<Value> {
  let value: Value | undefined
  let making: Promise<Value> | undefined
  const start = async (): Promise<Value> => {
    try {
      value = await make()
      return value
    } catch (error) {
      making = undefined
      throw error
    }
  }
  return {
    get value() {
      return value
    },
    get: () => {
      making ??= start()
      return making
    },
    idle: async () => {
      await making?.catch(() => {})
    },
  }
}
