/**
 * Works on a limited number of items at the same time; results are in the order of the items. The first failure cancels
 * running work and is thrown once none runs, so that the caller can safely give resources back.
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
