import { api } from '../api-client.ts'
import { wait } from './wait.ts'

/** Progress of a model on its way into memory. */
export interface ModelLoad {
  readonly state: 'installing' | 'loading'
  /** 0 to 1 */
  readonly progress: number
  readonly bytesDone: number
  readonly bytesTotal: number
}

/** An answer that begins within this time needs no look at the load. */
const FIRST_LOOK_MS = 800
const LOADING_MS = 1_000
const IDLE_MS = 3_000

/**
 * Reports the progress of a model's load until it is ended. Hidden pages do not ask.
 *
 * @returns a function that ends it
 */
export function watchLoad(model: string, report: (load: ModelLoad | undefined) => void): () => void {
  const ending = new AbortController()
  void (async () => {
    let delay = FIRST_LOOK_MS
    while (await wait(delay, ending.signal)) {
      if (document.visibilityState === 'hidden') continue
      const load = await readLoad(model, ending.signal)
      if (ending.signal.aborted) return
      delay = load === undefined ? IDLE_MS : LOADING_MS
      report(load)
    }
  })()
  return () => ending.abort()
}

/** Asks for the progress of a model's load; undefined if the server reports none or cannot be asked. */
async function readLoad(model: string, signal: AbortSignal): Promise<ModelLoad | undefined> {
  try {
    const { data } = await api.GET('/api/models/{id}/load-status', { params: { path: { id: model } }, signal })
    if (data === undefined) return undefined
    const state = data.state === 'installing' ? 'installing' : 'loading'
    return { state, progress: data.progress, bytesDone: data.bytes_sent, bytesTotal: data.total_bytes }
  } catch {
    return undefined
  }
}
