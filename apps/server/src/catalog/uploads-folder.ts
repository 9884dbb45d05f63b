import { readdir, readFile, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readLastWrite } from '../files/last-write.ts'
import { isSafeName } from '../files/safe-path.ts'
import { hashWriter } from '../operations/server-id.ts'

/** Hidden, so that nothing in it counts as a model, and in the models folder, so that a finished file is only moved. */
const UPLOADS_FOLDER = '.uploads'
/** Says which files a finished upload is about to become. */
export const ADDING_FILE = 'adding.json'
/** Longest silence of a sender, milliseconds. */
export const UPLOAD_IDLE_MS = 15 * 60_000

/** The folder in which a server keeps files that are being sent. Servers may share a models folder. */
export function uploadsFolder(modelsPath: string, serverId: string): string {
  return join(modelsPath, UPLOADS_FOLDER, hashWriter(serverId))
}

/** The files that an upload becomes, by their names in the models folder. */
export interface AddingFiles {
  readonly weightsFile: string
  readonly configFile: string
  /** Device and number of the file that was sent; the weights are the same file. */
  readonly identity: string
}

/** Device and number of a file; undefined where there is none. */
export async function identifyFile(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found?.isFile() === true ? `${found.dev}:${found.ino}` : undefined
}

/**
 * Removes the files that a killed server has left of uploads, before anything reads the models folder: its own ones,
 * also weights without their model file, and those that another server has given up.
 */
export async function recoverUploads(
  modelsPath: string,
  { serverId, now }: { readonly serverId: string; readonly now: number },
): Promise<void> {
  const root = join(modelsPath, UPLOADS_FOLDER)
  const own = uploadsFolder(modelsPath, serverId)
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name)
    if (folder !== own && now - (await readLastWrite(folder)) <= 2 * UPLOAD_IDLE_MS) continue
    for (const upload of await readdir(folder).catch(() => [])) await undoAdding(modelsPath, join(folder, upload))
    await rm(folder, { recursive: true, force: true })
  }
  // fails while it holds the folder of another server
  await rmdir(root).catch(() => undefined)
}

/** Removes the weights of an upload that has no model file yet. They would count as a model by themselves. */
async function undoAdding(modelsPath: string, upload: string): Promise<void> {
  const adding = await readAdding(join(upload, ADDING_FILE))
  if (adding === undefined) return
  const weights = join(modelsPath, adding.weightsFile)
  if ((await identifyFile(join(modelsPath, adding.configFile))) !== undefined) return
  if ((await identifyFile(weights)) === adding.identity) await unlink(weights)
}

async function readAdding(path: string): Promise<AddingFiles | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    const { weightsFile, configFile, identity } = Object(value) as Partial<Record<keyof AddingFiles, unknown>>
    if (typeof weightsFile !== 'string' || typeof configFile !== 'string' || typeof identity !== 'string')
      return undefined
    return isSafeName(weightsFile) && isSafeName(configFile) ? { weightsFile, configFile, identity } : undefined
  } catch {
    return undefined
  }
}
