import type { Clock } from '../../ports.ts'

/** Time between two looks, milliseconds. */
const LOOK_MS = 5000

/** The place of a replica is gone: its worker has started again, or somebody has stopped the model. */
export class PlaceGone extends Error {
  constructor() {
    super('its place was taken away')
  }
}

/**
 * Works for a replica as long as it has its place. A database that is away ends nothing.
 *
 * @param work ends soon after its signal aborts
 * @throws PlaceGone; as the work does
 */
export async function whilePlaced<T>(
  work: (signal: AbortSignal) => Promise<T>,
  {
    hasPlace,
    signal,
    clock,
  }: {
    readonly hasPlace: () => Promise<boolean>
    readonly signal: AbortSignal
    readonly clock: Pick<Clock, 'sleep'>
  },
): Promise<T> {
  const gone = new AbortController()
  const done = new AbortController()
  const watch = async (): Promise<void> => {
    const end = AbortSignal.any([signal, done.signal])
    while (!end.aborted) {
      await clock.sleep(LOOK_MS, { signal: end }).catch(() => undefined)
      if (end.aborted) return
      if (!(await hasPlace().catch(() => true))) return gone.abort(new PlaceGone())
    }
  }
  const watching = watch()
  try {
    return await work(AbortSignal.any([signal, gone.signal]))
  } catch (error) {
    signal.throwIfAborted()
    throw gone.signal.aborted ? gone.signal.reason : error
  } finally {
    done.abort()
    await watching
  }
}
