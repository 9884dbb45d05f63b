import { SvcError } from '@svc/errors'
import type { FileLock } from '../files/file-lock.ts'

/** Makes a check that throws where this server no longer holds its data path. */
export function createDataPathCheck(lock: Pick<FileLock, 'lossReason'>): () => void {
  return () => {
    const reason = lock.lossReason()
    if (reason === undefined) return
    throw new SvcError('unavailable', `the data folder was taken away: ${reason}`, { code: 'data_folder_gone' })
  }
}
