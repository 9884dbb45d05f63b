import { access, constants, stat } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { readSystemCode, readUserNumbers, toReason, type UserNumbers } from './file-error.ts'

/** Why a folder cannot be used, with the remedy for an operator. */
export interface FolderProblem {
  readonly reason: string
  readonly remedy: string
}

/** Finds out whether this process may read and change the models folder; undefined where it may. */
export async function findFolderProblem(folder: string): Promise<FolderProblem | undefined> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const owner = await stat(folder).catch(() => undefined)
    return describeFolderProblem(error, { folder, owner: owner?.uid, user: readUserNumbers() })
  }
}

/**
 * Refuses a change of the models folder that would fail.
 *
 * @throws {SvcError} `insufficient_storage`, code `not_writable`
 */
export async function requireWritable(folder: string): Promise<void> {
  const problem = await findFolderProblem(folder)
  if (problem === undefined) return
  const message = `the models folder cannot be written: ${problem.reason}`
  throw new SvcError('insufficient_storage', message, { code: 'not_writable' })
}

/**
 * Describes why the models folder cannot be used.
 *
 * @param facts.owner the number of the user who owns the folder
 * @param facts.user the user of the server
 */
export function describeFolderProblem(
  error: unknown,
  facts: { readonly folder: string; readonly owner: number | undefined; readonly user: UserNumbers | undefined },
): FolderProblem {
  const { folder, owner, user } = facts
  const elsewhere = 'name another folder with --models-path'
  if (readSystemCode(error) === 'EROFS') {
    return { reason: toReason(error), remedy: `mount it writable, or ${elsewhere}` }
  }
  if (!['EACCES', 'EPERM'].includes(readSystemCode(error) ?? '') || user === undefined) {
    return { reason: toReason(error), remedy: elsewhere }
  }
  const reason = `${toReason(error)} for user ${user.number}, group ${user.group}, as whom the server runs`
  if (owner === user.number) return { reason, remedy: `run chmod u+rwx ${folder}` }
  const asOwner = owner === undefined ? elsewhere : `run the server as user ${owner}, who owns it`
  return { reason, remedy: `run chown -R ${user.number}:${user.group} ${folder}, or ${asOwner}` }
}
