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
  const abort = watchAbort(signal)
  let isDone = false
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), abort.aborted])
      signal.throwIfAborted()
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
    abort.stop()
    if (!isDone) await leave(iterator, signal)
  }
}

interface AbortWatch {
  /** Rejects with the signal's reason. */
  readonly aborted: Promise<never>
  stop(): void
}

function watchAbort(signal: AbortSignal): AbortWatch {
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  // The race may be over, and nobody listens then.
  aborted.catch(() => undefined)
  return { aborted, stop: () => signal.removeEventListener('abort', onAbort) }
}

/** An aborted source may be silent for ever: its end is not awaited. */
async function leave(iterator: AsyncIterator<unknown> | Iterator<unknown>, signal: AbortSignal): Promise<void> {
  const left = Promise.resolve(iterator.return?.())
  if (signal.aborted) left.catch(() => undefined)
  else await left
}
