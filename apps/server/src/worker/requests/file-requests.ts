import { SvcError } from '@svc/errors'
import * as z from 'zod'
import { ensureRequest } from '../../cluster/contract/node-requests.ts'
import type { StorageFiles } from '../files/storage-files.ts'
import { type RequestParts, toErrorText } from './parts.ts'

type Parts = Pick<RequestParts, 'logger'> & { readonly storageFiles: StorageFiles | undefined }

const stageRequest = z.object({ local_path: z.string().min(1), key: z.string().min(1) })
const listRequest = z.object({ key_prefix: z.string().min(1) })

/** `files.ensure`: fetches an object of the storage and tells the path of the file. */
export function answerEnsure(payload: unknown, parts: Parts): Promise<unknown> {
  return answer(parts, async (files) => {
    const read = ensureRequest.safeParse(payload)
    if (!read.success) throw new SvcError('invalid_request', 'the request names no object')
    const { key, path, sha256, size } = read.data
    return { local_path: await files.ensure({ key, path: path || key, sha256, sizeBytes: size }) }
  })
}

/** `files.stage`: puts a file of this worker into the storage. */
export function answerStage(payload: unknown, parts: Parts): Promise<unknown> {
  return answer(parts, async (files) => {
    const read = stageRequest.safeParse(payload)
    if (!read.success) throw new SvcError('invalid_request', 'the request names no file and object')
    await files.stage(read.data.local_path, read.data.key)
    return { key: read.data.key }
  })
}

/** `files.temp`: makes an empty file. */
export function answerTemp(parts: Parts): Promise<unknown> {
  return answer(parts, async (files) => ({ local_path: await files.createFile() }))
}

/** `files.listdir`: lists the files below a key. */
export function answerListDir(payload: unknown, parts: Parts): Promise<unknown> {
  return answer(parts, async (files) => {
    const read = listRequest.safeParse(payload)
    if (!read.success) throw new SvcError('invalid_request', 'the request names no folder')
    return { files: await files.list(read.data.key_prefix) }
  })
}

async function answer({ storageFiles, logger }: Parts, work: (files: StorageFiles) => Promise<unknown>) {
  if (storageFiles === undefined) return { error: 'this worker has no object storage', code: 'no_storage' }
  try {
    return await work(storageFiles)
  } catch (error) {
    const code = SvcError.is(error) ? error.code : undefined
    if (code !== 'no_object') logger.warn({ err: error }, 'a request for a file of the object storage failed')
    return { error: toErrorText(error), ...(code === undefined ? {} : { code }) }
  }
}
