/** Bytes in pieces of any length. */
export type AudioPieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Passes the pieces on until the signal aborts, even while the source is silent. Ends the source when its reader leaves.
 *
 * @throws the signal's reason once it is aborted
 */
export async function* abortable<T>(source: AsyncIterable<T> | Iterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  signal?.throwIfAborted()
  if (signal === undefined) {
    yield* source
    return
  }
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  // One listener for the whole stream: a race with a promise of the abort would keep every piece until its end.
  let refuse = (_: unknown): void => undefined
  const onAbort = (): void => refuse(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const pull = (): Promise<IteratorResult<T>> => {
    return new Promise((resolve, reject) => {
      refuse = reject
      Promise.resolve(iterator.next()).then(resolve, reject)
    })
  }
  let isDone = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await pull()
      if (next.done === true) {
        isDone = true
        return
      }
      yield next.value
    }
  } catch (error) {
    isDone = !signal.aborted
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isDone) await leave(iterator, signal)
  }
}

/** An aborted source may be silent for ever: its end is not awaited. */
async function leave(iterator: AsyncIterator<unknown> | Iterator<unknown>, signal: AbortSignal): Promise<void> {
  const left = Promise.resolve(iterator.return?.())
  if (signal.aborted) left.catch(() => undefined)
  else await left
}
