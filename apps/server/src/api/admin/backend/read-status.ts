import { type StatusResponse, StatusResponse_State } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { ProcessFigures } from '../../../monitoring/process-stats.ts'
import type { Residency } from '../../../residency/residency.ts'
import type { monitorReply } from './bodies.ts'
import { notLoaded } from './named-model.ts'

type Monitor = z.infer<typeof monitorReply>

/** Sources for the state of a loaded model. */
export interface StatusSources {
  readonly residency: Pick<Residency, 'loaded' | 'readStatus'>
  /** Figures of a backend's process group; undefined when they cannot be read. */
  readonly readProcess: (pid: number) => Promise<ProcessFigures | undefined>
}

/**
 * Reads state and memory of a loaded model from its backend. Most backends report neither: the reply then has the
 * memory of the process, and a state that says so.
 *
 * @throws {SvcError} `internal` when the model is not loaded, or neither can be read
 */
export async function readStatus(
  name: string,
  { residency, readProcess }: StatusSources,
  signal: AbortSignal,
): Promise<Monitor> {
  let failure: unknown
  try {
    const status = await residency.readStatus(name, { signal })
    if (status !== undefined) return toMonitor(status)
  } catch (error) {
    signal.throwIfAborted()
    failure = error
  }
  const resident = residency.loaded().find((model) => model.name === name)
  if (resident === undefined) throw notLoaded(name)
  const process = resident.pid === undefined ? undefined : await readProcess(resident.pid)
  if (process === undefined) {
    throw new SvcError('internal', `the backend of model "${name}" reports no status`, {
      code: 'backend_status_unknown',
      cause: failure,
    })
  }
  const memory = { total: process.virtualBytes, breakdown: { rss: process.rssBytes } }
  return { state: StatusResponse_State.ERROR, memory }
}

function toMonitor({ state, memory }: StatusResponse): Monitor {
  const breakdown = Object.entries(memory?.breakdown ?? {}).map(([part, bytes]) => [part, Number(bytes)])
  return {
    ...(state === StatusResponse_State.UNINITIALIZED ? {} : { state }),
    memory: { total: Number(memory?.total ?? 0), breakdown: Object.fromEntries(breakdown) },
  }
}
