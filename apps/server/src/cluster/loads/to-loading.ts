import { SvcError } from '@svc/errors'
import type { LoadProgress } from '../contract/nodes.ts'

/** Delay after which a request that waited too long may come again, milliseconds. */
const RETRY_MS = 2000

/** A load as clients see it. */
export interface LoadingDetails {
  readonly model: string
  readonly state: LoadProgress['state']
  readonly node?: string | undefined
  /** 0 to 1. */
  readonly progress: number
  readonly bytes_sent: number
  readonly total_bytes: number
  readonly file_index: number
  readonly total_files: number
  readonly eta_seconds?: number | undefined
}

/** Writes a load for clients. */
export function toLoading(load: LoadProgress): LoadingDetails {
  return {
    model: load.model,
    state: load.state,
    ...(load.nodeName === undefined ? {} : { node: load.nodeName }),
    progress: load.progress,
    bytes_sent: load.bytesSent,
    total_bytes: load.totalBytes,
    file_index: load.fileIndex,
    total_files: load.totalFiles,
    ...(load.etaSeconds === undefined ? {} : { eta_seconds: load.etaSeconds }),
  }
}

/** A load that has not reported. */
export function notBegun(model: string): LoadProgress {
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

/** The error of a request that has waited too long for a load. */
export function loadGoesOn(load: LoadProgress): SvcError {
  return new SvcError('unavailable', `model "${load.model}" is still loading`, {
    code: 'model_loading',
    retryAfterMs: RETRY_MS,
    details: { type: 'model_loading', loading: toLoading(load) },
  })
}
