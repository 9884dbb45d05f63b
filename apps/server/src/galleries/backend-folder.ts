import { randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { lstat, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Logger } from '../ports.ts'
import { isFields } from './to-entry.ts'

/** The content of a backend's `metadata.json`. */
export interface BackendMetadata {
  readonly name: string
  readonly alias?: string | undefined
  /** Name of the folder that a meta backend leads to. */
  readonly metaBackendFor?: string | undefined
  readonly galleryUrl?: string | undefined
  /** RFC 3339. */
  readonly installedAt?: string | undefined
  readonly version?: string | undefined
  readonly uri?: string | undefined
  readonly digest?: string | undefined
  /** The operation whose last step put the folder in its place; used only by the server. */
  readonly job?: string | undefined
}

/** A folder of the backends folder. */
export interface BackendFolder {
  readonly folderName: string
  readonly folder: string
  readonly metadata: BackendMetadata
  readonly hasRunFile: boolean
  /** Whether the folder belongs to the system: it is neither changed nor removed. */
  readonly isSystem: boolean
}

const MAX_METADATA_BYTES = 1024 * 1024
const BACKUP = '.backup-'
/** Begins the names of replaced folders. */
const OLD = '.old-'

/** The folders of backends, the system's last. */
export async function listBackendFolders(parents: {
  readonly user: string
  readonly system: string
}): Promise<readonly BackendFolder[]> {
  const [own, system] = await Promise.all([list(parents.user, false), list(parents.system, true)])
  return [...own, ...system]
}

async function list(parent: string, isSystem: boolean): Promise<readonly BackendFolder[]> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => !name.startsWith('.')).sort()
  const folders = await Promise.all(
    names.map(async (folderName): Promise<BackendFolder | undefined> => {
      const folder = join(parent, folderName)
      const found = await lstat(folder).catch(() => undefined)
      if (found?.isDirectory() !== true) return undefined
      const metadata = await readMetadata(folder)
      const hasRunFile = (await lstat(join(folder, 'run.sh')).catch(() => undefined))?.isFile() === true
      if (metadata === undefined && !hasRunFile) return undefined
      return { folderName, folder, metadata: metadata ?? { name: folderName }, hasRunFile, isSystem }
    }),
  )
  return folders.filter((folder) => folder !== undefined)
}

async function readMetadata(folder: string): Promise<BackendMetadata | undefined> {
  const path = join(folder, 'metadata.json')
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() !== true || found.size > MAX_METADATA_BYTES) return undefined
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (!isFields(value)) return undefined
    const text = (key: string): string | undefined => {
      const one = value[key]
      return typeof one === 'string' && one !== '' ? one : undefined
    }
    return {
      name: text('name') ?? '',
      alias: text('alias'),
      metaBackendFor: text('meta_backend_for'),
      galleryUrl: text('gallery_url'),
      installedAt: text('installed_at'),
      version: text('version'),
      uri: text('uri'),
      digest: text('digest'),
      job: text('job'),
    }
  } catch {
    return undefined
  }
}

/** Writes the metadata of a backend. */
export async function writeMetadata(folder: string, metadata: BackendMetadata): Promise<void> {
  const written = { ...toWireMetadata(metadata), job: metadata.job }
  await writeFileAtomic(join(folder, 'metadata.json'), JSON.stringify(written, undefined, 2), {
    mode: 0o644,
  })
}

/** Metadata under the names of the file. */
export function toWireMetadata(metadata: BackendMetadata): Readonly<Record<string, string>> {
  const fields = {
    name: metadata.name,
    alias: metadata.alias,
    meta_backend_for: metadata.metaBackendFor,
    gallery_url: metadata.galleryUrl,
    installed_at: metadata.installedAt,
    version: metadata.version,
    uri: metadata.uri,
    digest: metadata.digest,
  }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

/**
 * Puts a new folder in the place of a backend.
 *
 * @returns where the old one is now, for processes that still read its files; undefined where there was none
 */
export async function swapFolder(parent: string, folderName: string, next: string): Promise<string | undefined> {
  const [place, backup] = [join(parent, folderName), join(parent, `${BACKUP}${folderName}`)]
  await rm(backup, { recursive: true, force: true })
  if (!exchange(place, { next, backup })) return undefined
  const old = join(parent, `${OLD}${folderName}.${randomBytes(6).toString('hex')}`)
  await rename(backup, old)
  return old
}

/** Moves both folders in one turn, so that no program is started while there is none. @returns whether there was one */
function exchange(place: string, { next, backup }: { readonly next: string; readonly backup: string }): boolean {
  let hadOld = false
  try {
    renameSync(place, backup)
    hadOld = true
  } catch {
    // There is none.
  }
  try {
    renameSync(next, place)
  } catch (error) {
    if (hadOld) renameSync(backup, place)
    throw error
  }
  return hadOld
}

/**
 * Puts back folders that a kill has left aside in the middle of a swap, and removes the old copies that it left behind.
 */
export async function finishSwaps(parent: string, { logger }: { readonly logger: Logger }): Promise<void> {
  const names: readonly string[] = await readdir(parent).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(OLD))) {
    await rm(join(parent, name), { recursive: true, force: true }).catch((error: unknown) =>
      logger.error({ err: error, folder: name }, 'the old copy of a backend could not be removed'),
    )
  }
  for (const name of names.filter((one) => one.startsWith(BACKUP))) {
    const folderName = name.slice(BACKUP.length)
    try {
      if (names.includes(folderName)) await rm(join(parent, name), { recursive: true, force: true })
      else await rename(join(parent, name), join(parent, folderName))
    } catch (error) {
      logger.error({ err: error, folder: name }, 'the old copy of a backend could not be put back')
    }
  }
}
