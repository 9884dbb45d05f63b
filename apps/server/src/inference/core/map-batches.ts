/**
 * Maps each batch of an iteration and leaves out empty results. Adds no async generator to the path of a token. Ending
 * the iteration early ends the source.
 */
export function mapBatches<In, Out>(
  source: AsyncIterable<In>,
  toBatch: (batch: In) => readonly Out[],
): AsyncIterable<readonly Out[]> {
  return {
    [Symbol.asyncIterator]() {
      const batches = source[Symbol.asyncIterator]()
      /** Undefined for an empty result. */
      const read = (step: IteratorResult<In>): IteratorResult<readonly Out[], undefined> | undefined => {
        if (step.done === true) return { done: true, value: undefined }
        const value = toBatch(step.value)
        return value.length > 0 ? { done: false, value } : undefined
      }
      // A loop: a promise for each empty result would wait for the one behind it, and all of them would be kept.
      const skip = async (): Promise<IteratorResult<readonly Out[], undefined>> => {
        for (;;) {
          const result = read(await batches.next())
          if (result !== undefined) return result
        }
      }
      return {
        next: () => batches.next().then((step) => read(step) ?? skip()),
        async return() {
          await batches.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
