/**
 * Works on items, so many at once; results come in the order of the items. The first failure cancels what still runs
 * and is thrown when nothing runs any more, so that whatever the work holds can be given back.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  options: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: T, options: { readonly signal: AbortSignal }) => Promise<R>,
): Promise<R[]> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const results = new Array<R>(items.length)
  const queue = items.entries()
  let failure: { readonly error: unknown } | undefined

  async function takeTurns(): Promise<void> {
    for (const [index, item] of queue) {
      try {
        results[index] = await work(item, { signal })
      } catch (error) {
        failure ??= { error }
        stop.abort(error)
      }
      if (failure !== undefined) return
    }
  }

  await Promise.all(Array.from({ length: Math.min(options.limit, items.length) }, takeTurns))
  if (failure !== undefined) throw failure.error
  return results
}
