import { lstat, readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { SvcError } from '@svc/errors'

const HASH_FILE = '.sha256'
/** Folders that are looked into for a hash file. */
const MAX_DEPTH = 8

/**
 * Deletes the folders that front ends have filled for a model: those of its replicas, `<model>#<index>`, and a folder of
 * the model's own name if it holds hashes of sent files.
 *
 * @param folder where the sent files of models are
 * @throws {SvcError} `invalid_request` for a name that leads out of it
 */
export async function removeStagedFiles(folder: string, model: string): Promise<void> {
  const own = resolve(folder, model)
  if (!own.startsWith(resolve(folder) + sep) || own !== join(resolve(folder), model)) throw leadsOut()
  const [root, parent] = await Promise.all([folder, dirname(own)].map((each) => realpath(each).catch(() => undefined)))
  if (root === undefined || parent === undefined) return
  if (parent !== root && !parent.startsWith(root + sep)) throw leadsOut()
  const name = basename(own)
  const siblings: readonly string[] = await readdir(dirname(own)).catch(() => [])
  for (const each of siblings) {
    const isReplica = each.startsWith(`${name}#`) && /^\d{1,4}$/.test(each.slice(name.length + 1))
    const path = join(dirname(own), each)
    const isOurs = isReplica || (each === name && (await holdsHash(path, MAX_DEPTH)))
    if (isOurs && (await lstat(path)).isDirectory()) await rm(path, { recursive: true, force: true })
  }
}

function leadsOut(): SvcError {
  return new SvcError('invalid_request', 'the name of the model leads out of its folder', { code: 'bad_model_name' })
}

/** Whether a folder holds the hash of a sent file. */
async function holdsHash(folder: string, depth: number): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  if (entries.some((entry) => entry.isFile() && entry.name.endsWith(HASH_FILE))) return true
  if (depth === 0) return false
  for (const entry of entries) {
    if (entry.isDirectory() && (await holdsHash(join(folder, entry.name), depth - 1))) return true
  }
  return false
}
