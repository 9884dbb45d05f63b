/** How long a released port is given to nobody, milliseconds. */
const REST_MS = 15_000
/** How long a released port is kept for the process that had it, milliseconds. */
const AFFINITY_MS = 300_000

interface Released {
  readonly key: string
  readonly at: number
}

/** Ports of a worker's backend processes. */
export interface PortRange {
  /**
   * Gives a process its port: the one it has, then the one it had, then the lowest free one.
   *
   * @param key - the process, `<model>#<replica>`
   * @returns undefined when no port is free
   */
  take(key: string): number | undefined
  /** Frees the port of a process. A process without a port is ignored. */
  release(key: string): void
}

/**
 * Creates a range of ports, both ends included. A released port rests 15 s, so that a late call to the old process does
 * not reach another one. It stays with its process for 5 min while other ports are free.
 *
 * @param now - milliseconds of a clock that never goes back
 */
export function createPortRange(first: number, last: number, now: () => number): PortRange {
  const taken = new Map<string, number>()
  const released = new Map<number, Released>()

  function candidates(key: string): { readonly own?: number; readonly free?: number; readonly kept?: number } {
    const inUse = new Set(taken.values())
    let kept: number | undefined
    for (const [port, { key: owner, at }] of released) {
      if (owner === key && now() - at >= REST_MS) return { own: port }
    }
    for (let port = first; port <= last; port += 1) {
      if (inUse.has(port)) continue
      const age = now() - (released.get(port)?.at ?? Number.NEGATIVE_INFINITY)
      if (age >= AFFINITY_MS) return { free: port }
      if (age >= REST_MS) kept ??= port
    }
    return kept === undefined ? {} : { kept }
  }

  return {
    take(key) {
      const current = taken.get(key)
      if (current !== undefined) return current
      const { own, free, kept } = candidates(key)
      const port = own ?? free ?? kept
      if (port === undefined) return undefined
      released.delete(port)
      taken.set(key, port)
      return port
    },
    release(key) {
      const port = taken.get(key)
      if (port === undefined) return
      taken.delete(key)
      released.set(port, { key, at: now() })
    },
  }
}
