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
      return {
        async next() {
          for (;;) {
            const step = await batches.next()
            if (step.done === true) return { done: true, value: undefined }
            const value = toBatch(step.value)
            if (value.length > 0) return { done: false, value }
          }
        },
        async return() {
          await batches.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
