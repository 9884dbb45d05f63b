import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Works on each item, in order. Pauses between two items let the event loop serve other callers, so that many short
 * blocking pieces do not block it together.
 *
 * @throws the signal's reason, between two pieces
 */
export async function mapWithPauses<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
  { signal }: { readonly signal: AbortSignal },
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    signal.throwIfAborted()
    results.push(work(item, index))
    await nextTurn()
  }
  signal.throwIfAborted()
  return results
}
