import * as z from 'zod'
import { installRequest } from '../../cluster/contract/node-requests.ts'
import { toProcessKey } from '../../cluster/contract/process-key.ts'
import { type InstallRequest, usesBackend } from '../backends.ts'
import type { BackendUse, ReplicaName } from '../processes.ts'
import { createInstallProgress } from './install-progress.ts'
import { type RequestParts, toErrorText } from './parts.ts'

const MAX_INDEX = 1000
const backendName = z.object({ backend: z.string().min(1), force: z.boolean().nullish() })

/** Reply of `backend.install`. */
interface InstallReply {
  readonly success: boolean
  readonly address?: string
  readonly error?: string
}

/** Reply of `backend.upgrade` and `backend.delete`. */
interface ChangeReply {
  readonly success: boolean
  readonly error?: string
  readonly stopped_process_keys: readonly string[]
  readonly reports_stopped_processes: true
}

/**
 * `backend.install`: installs a backend where it is missing, and with a model starts the process of its replica. One that
 * runs already is named again.
 */
export async function answerInstall(payload: unknown, signal: AbortSignal, parts: RequestParts): Promise<InstallReply> {
  const read = installRequest.safeParse(payload)
  if (!read.success || read.data.backend === '') return { success: false, error: 'the request names no backend' }
  const request = read.data
  const replica = { model: request.model_id, index: request.replica_index }
  if (request.model_id !== '' && !isReplica(replica)) return { success: false, error: 'replica_index is out of range' }
  try {
    const program = await parts.backends.ensure(request, { signal, onProgress: toProgress(request, parts) })
    if (request.model_id === '') return { success: true }
    const { backend, force } = request
    const { address } = await parts.processes.start(replica, { backend, program, force, signal })
    return { success: true, address }
  } catch (error) {
    parts.logger.warn({ err: error, backend: request.backend, model: request.model_id }, 'a backend was not started')
    return { success: false, error: toErrorText(error) }
  }
}

/** `backend.upgrade`: installs a backend again. Processes of the old one end once the new one is here. */
export async function answerUpgrade(payload: unknown, signal: AbortSignal, parts: RequestParts): Promise<ChangeReply> {
  const read = installRequest.safeParse(payload)
  if (!read.success || read.data.backend === '') return failure('the request names no backend')
  const request = read.data
  return change(parts, () => parts.backends.upgrade(request, { signal, onProgress: toProgress(request, parts) }))
}

/** `backend.delete`: deletes a backend, then ends its processes. */
export async function answerDelete(payload: unknown, signal: AbortSignal, parts: RequestParts): Promise<ChangeReply> {
  const read = backendName.safeParse(payload)
  if (!read.success) return failure('the request names no backend')
  return change(parts, () => parts.backends.remove(read.data.backend, { signal }))
}

/** `backend.list`. */
export async function answerList(parts: RequestParts): Promise<unknown> {
  try {
    const backends = await parts.backends.list()
    return { backends: backends.length === 0 ? null : backends }
  } catch (error) {
    return { backends: null, error: toErrorText(error) }
  }
}

/** `backend.stop`: ends the processes of a backend. */
export async function stopBackend(payload: unknown, parts: RequestParts): Promise<void> {
  const read = backendName.safeParse(payload)
  if (!read.success) return
  await stopUsers([read.data.backend], parts, read.data.force === true)
}

async function change(parts: RequestParts, work: () => Promise<readonly string[]>): Promise<ChangeReply> {
  const stopped: string[] = []
  try {
    stopped.push(...(await stopUsers(await work(), parts, false)))
    return { success: true, stopped_process_keys: stopped, reports_stopped_processes: true }
  } catch (error) {
    parts.logger.warn({ err: error }, 'a backend was not changed')
    return failure(toErrorText(error))
  }
}

/** Ends the processes of changed backends. @returns their keys */
async function stopUsers(changed: readonly string[], parts: RequestParts, force: boolean): Promise<readonly string[]> {
  const users = await parts.processes.listUsers((use) => isUser(use, changed))
  await Promise.all(users.map((process) => parts.processes.stop(process, { force })))
  parts.oldCopies.release(() => false)
  return users.map(({ key }) => key)
}

const isUser = ({ backend, program }: BackendUse, changed: readonly string[]): boolean =>
  usesBackend(backend, changed) || usesBackend(program.name, changed)

const toProgress = ({ backend, op_id: operation }: InstallRequest, parts: RequestParts) =>
  createInstallProgress({ backend, operation }, parts)

const isReplica = (replica: ReplicaName): boolean =>
  replica.index >= 0 && replica.index < MAX_INDEX && toProcessKey(replica.model, replica.index).length <= 512

function failure(error: string): ChangeReply {
  return { success: false, error, stopped_process_keys: [], reports_stopped_processes: true }
}
