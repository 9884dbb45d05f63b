/** A value created on first use. */
export interface Lazy<Value> {
  /** The value, or undefined before it exists. */
  readonly value: Value | undefined
  /** Creates the value once for all concurrent callers. A failure is not kept: the next caller tries again. */
  get(): Promise<Value>
  /** Waits for a running creation. */
  idle(): Promise<void>
}

/** Defers `make` until the first use. */
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
