/** A stream that also ends its source if its reader leaves before the first piece. */
export type ClosingStream<T> = AsyncIterableIterator<T, undefined, undefined>

/** Calls `close` when the reader leaves. A generator by itself does that only after its first piece. */
export function closing<T>(pieces: AsyncGenerator<T>, close: () => Promise<void>): ClosingStream<T> {
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => pieces.next(),
    async return() {
      await pieces.return(undefined)
      await close()
      return { done: true, value: undefined }
    },
  }
}
