import type { PeerNode } from './node.ts'

/** Tries to connect to addresses, beside everything else. */
export interface Search {
  /** Puts addresses on the list; an address that is on it already is tried once. */
  look(addresses: Iterable<string>): void
}

/** Options of {@link createSearch}. */
export interface SearchOptions {
  readonly node: Pick<PeerNode, 'id' | 'connected' | 'join'>
  /** Called when a try has ended. */
  readonly onTried: (address: string, isReached: boolean) => void
  /** Milliseconds for one try. */
  readonly tryMs: number
  /** Ends the search. */
  readonly signal: AbortSignal
}

/** Most tries at the same time. */
const MAX_TRIES = 8
const MAX_WAITING = 1024

/** Creates a search that has nothing to do. */
export function createSearch({ node, onTried, tryMs, signal }: SearchOptions): Search {
  const waiting = new Set<string>()
  const trying = new Set<string>()

  function isNeedless(address: string): boolean {
    const id = /\/p2p\/(\w+)$/.exec(address)?.[1]
    return id !== undefined && (id === node.id || node.connected().includes(id))
  }

  async function attempt(address: string): Promise<void> {
    trying.add(address)
    const isReached = await node.join(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(tryMs)]) })
    trying.delete(address)
    if (signal.aborted) return
    onTried(address, isReached)
    next()
  }

  function next(): void {
    for (const address of waiting) {
      if (signal.aborted || trying.size >= MAX_TRIES) return
      waiting.delete(address)
      if (!isNeedless(address)) void attempt(address)
    }
  }

  return {
    look(addresses) {
      for (const address of addresses) {
        if (waiting.size >= MAX_WAITING) break
        if (!trying.has(address)) waiting.add(address)
      }
      next()
    },
  }
}
