/** Hands values from a producer to a consumer, one at a time. */
export interface HandOver<T> {
  /** Resolves once the consumer asks for the value after this one. @throws the error that the consumer left with */
  put(value: T): Promise<void>
  /** Values in their order, until {@link end}. Leaving the iteration early refuses further values. */
  readonly values: AsyncGenerator<T, void>
  /** @param error makes the iteration fail */
  end(error?: unknown): void
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Creates a hand-over. */
export function createHandOver<T>(): HandOver<T> {
  const values: { readonly value: T; readonly taken: Waiting }[] = []
  let ended: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  let isLeft = false

  async function* iterate(): AsyncGenerator<T, void> {
    let last: Waiting | undefined
    try {
      for (;;) {
        last?.resolve()
        last = undefined
        while (values.length === 0 && ended === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const next = values.shift()
        if (next === undefined) {
          if (ended?.error !== undefined) throw ended.error
          return
        }
        last = next.taken
        yield next.value
      }
    } finally {
      isLeft = true
      const left = new Error('nobody takes values any more')
      for (const waiting of [last, ...values.map(({ taken }) => taken)]) waiting?.reject(left)
    }
  }
  return {
    values: iterate(),
    put(value) {
      if (isLeft) return Promise.reject(new Error('nobody takes values any more'))
      return new Promise((resolve, reject) => {
        values.push({ value, taken: { resolve: () => resolve(), reject } })
        wake?.()
      })
    },
    end(error) {
      ended ??= { error }
      wake?.()
    },
  }
}
