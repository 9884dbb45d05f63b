import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readLastWrite } from '../files/last-write.ts'
import { hashWriter } from '../operations/server-id.ts'
import type { Logger } from '../ports.ts'

/** A server and its models folder, which it may share with other servers. */
export interface CopyPlace {
  readonly modelsPath: string
  readonly serverId: string
}

/** Hidden, so that no model can be named after it. */
const PREFIX = '.copying-'
/** The writer, then the end of `mkdtemp`. Earlier versions wrote no writer. */
const FOLDER = /^\.copying-(?:([0-9a-f]{16})-)?[A-Za-z0-9]{6}$/
/** Time without a write after which a folder of another server is left over. A copy writes all the time. */
const STALE_MS = 24 * 60 * 60 * 1000

/** Makes a folder in which weights are copied. Its name has the writer. */
export async function makeCopyFolder({ modelsPath, serverId }: CopyPlace): Promise<string> {
  return mkdtemp(join(modelsPath, `${PREFIX}${hashWriter(serverId)}-`))
}

/**
 * Removes copies that killed servers have left unfinished. Called at the start: this server copies nothing yet, so
 * every folder of its own is left over. Another server may be at work in its own ones.
 */
export async function removeStaleCopies(
  { modelsPath, serverId }: CopyPlace,
  { logger, now }: { readonly logger: Logger; readonly now: number },
): Promise<void> {
  const own = hashWriter(serverId)
  for (const name of await readdir(modelsPath).catch(() => [])) {
    const match = FOLDER.exec(name)
    if (match === null) continue
    const folder = join(modelsPath, name)
    try {
      if (!(await lstat(folder)).isDirectory()) continue
      if (match[1] !== own && now - (await readLastWrite(folder)) <= STALE_MS) continue
      await rm(folder, { recursive: true, force: true })
    } catch (error) {
      logger.warn({ err: error, folder }, 'an unfinished copy of a model cannot be removed')
    }
  }
}
