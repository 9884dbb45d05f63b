import type { LoadProgress } from './nodes.ts'

/** A load that has not failed. */
export type RunningLoad = LoadProgress & { readonly state: Exclude<LoadProgress['state'], 'failed'> }

/** A load that has not reported. */
export function notBegun(model: string): RunningLoad {
  return {
    model,
    state: 'pending',
    nodeId: undefined,
    nodeName: undefined,
    progress: 0,
    bytesSent: 0,
    totalBytes: 0,
    fileIndex: 0,
    totalFiles: 0,
    etaSeconds: undefined,
    error: undefined,
  }
}

/** A load on a worker, as clients see it in a load status and in a 503. */
export interface LoadObject {
  readonly model: string
  readonly state: RunningLoad['state']
  /** Name of the worker; absent while none is chosen. */
  readonly node?: string
  /** 0 to 1. */
  readonly progress: number
  readonly bytes_sent: number
  readonly total_bytes: number
  readonly file_index: number
  readonly total_files: number
  readonly eta_seconds?: number
}

/** Converts the progress of a load. */
export function toLoadObject(load: RunningLoad): LoadObject {
  const { model, state, nodeName, progress, bytesSent, totalBytes, fileIndex, totalFiles, etaSeconds } = load
  return {
    model,
    state,
    ...(nodeName === undefined ? {} : { node: nodeName }),
    progress,
    bytes_sent: bytesSent,
    total_bytes: totalBytes,
    file_index: fileIndex,
    total_files: totalFiles,
    ...(etaSeconds === undefined ? {} : { eta_seconds: etaSeconds }),
  }
}

const ORDER: readonly RunningLoad['state'][] = ['pending', 'installing', 'staging', 'loading']

const isRunning = (load: LoadProgress): load is RunningLoad => load.state !== 'failed'

/** The load of a model that is nearest to its end; undefined when none runs. */
export function findNearestLoad(loads: readonly LoadProgress[]): RunningLoad | undefined {
  return loads
    .filter(isRunning)
    .toSorted((a, b) => ORDER.indexOf(b.state) - ORDER.indexOf(a.state) || b.progress - a.progress)[0]
}
