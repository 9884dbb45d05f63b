import type { Operation } from '../operations/operation.ts'
import { listBackendFolders } from './backend-folder.ts'

/**
 * Whether the work of an installation is in its place: a server may end after the last step and before it could say so.
 * Records of models and metadata of backends name the job that wrote them; they are written with the last step.
 */
export async function wasInstalled(
  { subject, jobId }: Pick<Operation, 'subject' | 'jobId'>,
  { modelsPath, backendsPath }: { readonly modelsPath: string; readonly backendsPath: string },
): Promise<boolean> {
  if (subject === 'model') {
    // Without records the installation goes on, and fails where the folder still cannot be read.
    const { readRecords } = await import('./install-record.ts')
    const records = await readRecords(modelsPath).catch(() => [])
    return records.some(({ job }) => job === jobId)
  }
  const folders = await listBackendFolders({ user: backendsPath, system: '' })
  return folders.some(({ metadata }) => metadata.job === jobId)
}
