/**
 * Whether a model fits this host. `tight`: it fits, but not beside the models in use now. `unusable`: there is enough
 * memory, but no backend here runs the model.
 */
export type Fit = 'fits' | 'tight' | 'large' | 'unusable' | 'unknown'

/** Memory of the host, in bytes. */
export interface HostMemory {
  readonly total: number
  readonly free: number
}

/** Known facts about a model's size. */
export interface ModelSize {
  /** The server's judgement; absent when it does not know. */
  readonly fits?: boolean | undefined
  /** Memory it is estimated to take. */
  readonly memory_bytes?: number | undefined
}

/** Judges how a model fits. @param host absent while it is not known */
export function judgeFit({ fits, memory_bytes }: ModelSize, host: HostMemory | undefined): Fit {
  if (fits === undefined) return 'unknown'
  if (host === undefined || memory_bytes === undefined) return fits ? 'fits' : 'large'
  if (!fits) return memory_bytes <= host.total ? 'unusable' : 'large'
  return memory_bytes <= host.free ? 'fits' : 'tight'
}

/** The parts of a host's memory with a model loaded, each 0 to 1 of all of it. */
export interface MemoryShares {
  readonly used: number
  readonly weights: number
  readonly rest: number
}

/** Shares of memory for a bar. A model that is too large is cut at the end. */
export function shareMemory(
  host: HostMemory,
  { weightsBytes, memoryBytes }: { readonly weightsBytes: number; readonly memoryBytes: number },
): MemoryShares {
  if (host.total <= 0) return { used: 0, weights: 0, rest: 0 }
  const used = Math.min(1, Math.max(0, (host.total - host.free) / host.total))
  const weights = Math.min(1 - used, weightsBytes / host.total)
  const rest = Math.min(1 - used - weights, Math.max(0, memoryBytes - weightsBytes) / host.total)
  return { used, weights, rest }
}
