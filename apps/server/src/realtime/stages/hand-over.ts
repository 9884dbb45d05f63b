import { SvcError } from '@svc/errors'

/** Gives an item to the reader; resolves once the reader asks for the next one, and rejects when it has left. */
export type HandOver<T> = (item: T) => Promise<void>

/**
 * Turns work that gives items away one by one into an iteration of them. The work begins with the first pull and waits
 * for the reader at each item; its failure is the failure of the next pull.
 *
 * @param options.signal ends the waits for a reader who neither reads on nor leaves
 * @param options.onLeft ends the work when the reader leaves early
 */
export async function* iterateWork<T>(
  work: (give: HandOver<T>) => Promise<unknown>,
  { signal, onLeft }: { readonly signal: AbortSignal; readonly onLeft: (reason: SvcError) => void },
): AsyncGenerator<T, void> {
  let offered: Offer<T> | undefined
  let end: { readonly failure?: unknown } | undefined
  let wake = (): void => undefined
  let hasLeft = false
  const give: HandOver<T> = (item) => {
    if (hasLeft || signal.aborted) return Promise.reject(hasLeft ? notRead() : signal.reason)
    return new Promise((resolve, reject) => {
      offered = { item, resolve, reject }
      wake()
    })
  }
  const finish = (result: { readonly failure?: unknown }): void => {
    end = result
    wake()
  }
  let current: Offer<T> | undefined
  const stop = (): void => {
    for (const offer of [current, offered]) offer?.reject(signal.reason)
    offered = undefined
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    work(give).then(
      () => finish({}),
      (failure: unknown) => finish({ failure }),
    )
    for (;;) {
      while (offered === undefined && end === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (offered === undefined) {
        if (end !== undefined && 'failure' in end) throw end.failure
        return
      }
      current = offered
      offered = undefined
      yield current.item
      current.resolve()
      current = undefined
    }
  } finally {
    hasLeft = true
    signal.removeEventListener('abort', stop)
    if (end === undefined) onLeft(notRead())
    for (const offer of [current, offered]) offer?.reject(notRead())
  }
}

interface Offer<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

function notRead(): SvcError {
  return new SvcError('cancelled', 'the stage is not read any more', { code: 'cancelled' })
}
