import * as z from 'zod'
import { stopRequest } from '../../cluster/contract/node-requests.ts'
import { removeStagedFiles } from '../staged-files.ts'
import { type RequestParts, toErrorText } from './parts.ts'

const modelName = z.object({ model_name: z.string().min(1), address: z.string().nullish() })

/** Reply of `model.unload` and `model.delete`. */
interface SimpleReply {
  readonly success: boolean
  readonly error?: string
}

/** Reply of `model.stop`. */
interface StopReply {
  readonly matched: boolean
  readonly freed: boolean
  readonly terminated: boolean
  readonly process_key: string
  readonly address?: string
  readonly error?: string
}

/** `model.stop`: ends one process, if it is the one that is meant. */
export async function answerStop(
  payload: unknown,
  parts: Pick<RequestParts, 'processes' | 'logger'>,
): Promise<StopReply> {
  const read = stopRequest.safeParse(payload)
  if (!read.success) return unmatched('', 'the request names no process')
  const { process_key: key, expected_address: expected, model_name: model, force } = read.data
  const process = parts.processes.find(key)
  if (process === undefined) return unmatched(key, `no process "${key}" runs here`)
  const found = { matched: true, process_key: key, address: process.address }
  const refused = { ...found, freed: false, terminated: false }
  if (process.model !== model) return { ...refused, error: `model mismatch: it serves "${process.model}"` }
  if (expected !== '' && expected !== process.address) {
    return { ...refused, error: `address mismatch: it is at ${process.address}, not at ${expected}` }
  }
  parts.processes.retire(process)
  const reason = await parts.processes.free(process)
  const freed = reason === undefined
  try {
    await parts.processes.stop(process, { force })
    return { ...found, freed, terminated: true, ...(freed ? {} : { error: reason }) }
  } catch (error) {
    parts.logger.error({ err: error, process: key }, 'a process could not be ended')
    return { ...refused, freed, error: toErrorText(error) }
  }
}

/** `model.unload`: frees a model in all its processes, or in the one at an address. They go on to run. */
export async function answerUnload(
  payload: unknown,
  { processes }: Pick<RequestParts, 'processes'>,
): Promise<SimpleReply> {
  const read = modelName.safeParse(payload)
  if (!read.success) return { success: false, error: 'the request names no model' }
  const { model_name: model, address } = read.data
  const meant = processes
    .list()
    .filter((process) => process.model === model && (!address || process.address === address))
  // A backend that cannot free its model is no failure.
  await Promise.all(meant.map((process) => processes.free(process)))
  return { success: true }
}

/** `model.delete`: deletes the files that front ends have sent for a model. */
export async function answerModelDelete(
  payload: unknown,
  { stagedFolders, logger }: Pick<RequestParts, 'stagedFolders' | 'logger'>,
): Promise<SimpleReply> {
  const read = modelName.safeParse(payload)
  if (!read.success) return { success: false, error: 'the request names no model' }
  try {
    for (const folder of stagedFolders) await removeStagedFiles(folder, read.data.model_name)
    return { success: true }
  } catch (error) {
    logger.warn({ err: error, model: read.data.model_name }, 'the files of a model could not be deleted')
    return { success: false, error: toErrorText(error) }
  }
}

/** `models.running`. */
export async function answerRunning({ processes }: Pick<RequestParts, 'processes'>): Promise<unknown> {
  return {
    models: processes.list().map(({ model, index, address }) => ({ model_id: model, replica_index: index, address })),
  }
}

function unmatched(key: string, error: string): StopReply {
  return { matched: false, freed: false, terminated: false, process_key: key, error }
}
