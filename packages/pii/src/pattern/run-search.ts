import { runInSlices, type SliceOptions } from '@svc/json'

/** A search in steps, each far shorter than a slice. */
export type Search<T> = Generator<undefined, T, undefined>

/** Default time of a search's first slice, in milliseconds. */
const DEFAULT_SLICE_MS = 5

/**
 * Runs a search: to its end when one slice is enough, else in slices that yield to other work.
 *
 * @param options its signal is read only when the search goes on after its first slice
 */
export function runSearch<T>(
  search: Search<T>,
  slices: Omit<SliceOptions, 'signal'> = {},
  options: { readonly signal: AbortSignal },
): T | Promise<T> {
  const end = performance.now() + (slices.sliceMs ?? DEFAULT_SLICE_MS)
  do {
    const step = search.next()
    if (step.done) return step.value
  } while (performance.now() < end)
  return goOn(search, { ...slices, signal: options.signal })
}

async function goOn<T>(search: Search<T>, options: SliceOptions): Promise<T> {
  let step = search.next()
  await runInSlices(() => {
    if (!step.done) step = search.next()
    return step.done === true
  }, options)
  return step.value as T
}
