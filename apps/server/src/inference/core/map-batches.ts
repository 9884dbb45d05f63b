import type { MaybePromise } from '../../ports.ts'

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
      const next = (): Promise<IteratorResult<readonly Out[], undefined>> => batches.next().then(take)
      const take = (step: IteratorResult<In>): MaybePromise<IteratorResult<readonly Out[], undefined>> => {
        if (step.done === true) return { done: true, value: undefined }
        const value = toBatch(step.value)
        return value.length > 0 ? { done: false, value } : next()
      }
      return {
        next,
        async return() {
          await batches.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
