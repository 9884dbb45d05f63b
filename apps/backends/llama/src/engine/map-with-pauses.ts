import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Does a piece of work for each item, in order. Between two of them other callers are heard, so that many pieces that
 * each hold up the process for a moment do not hold it up together.
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
