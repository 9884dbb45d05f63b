import type { Clock } from '../../ports.ts'
import type { NodeRecord } from './node-record.ts'

/** Age of the copy in memory, milliseconds. */
const COPY_MS = 1000

/** The workers in memory. */
export interface NodeCopy {
  /** The workers as they were at most a second ago; calls at the same time share one query. */
  list(): Promise<readonly NodeRecord[]>
  /** Makes the next call read again. */
  forget(): void
}

/** Keeps what `read` gives for a second. */
export function createNodeCopy({
  read,
  clock,
}: {
  readonly read: () => Promise<readonly NodeRecord[]>
  readonly clock: Pick<Clock, 'monotonic'>
}): NodeCopy {
  let copy: { readonly nodes: readonly NodeRecord[]; readonly readAt: number } | undefined
  let reading: Promise<readonly NodeRecord[]> | undefined

  async function readAnew(isCurrent: () => boolean): Promise<readonly NodeRecord[]> {
    const readAt = clock.monotonic()
    const nodes = await read()
    if (isCurrent()) copy = { nodes, readAt }
    return nodes
  }
  return {
    list() {
      if (copy !== undefined && clock.monotonic() - copy.readAt < COPY_MS) return Promise.resolve(copy.nodes)
      if (reading !== undefined) return reading
      const mine: Promise<readonly NodeRecord[]> = readAnew(() => reading === mine).finally(() => {
        if (reading === mine) reading = undefined
      })
      reading = mine
      return mine
    },
    forget() {
      copy = undefined
      reading = undefined
    },
  }
}
