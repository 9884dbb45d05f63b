import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { toFileError } from '../../files/file-error.ts'
import { makeFileFolder } from '../../files/make-folder.ts'
import { writeFileAtomic } from '../../files/write-file-atomic.ts'
import { hashWriter } from '../../operations/server-id.ts'
import type { Logger } from '../../ports.ts'
import type { HubFile } from '../hub-repository.ts'
import { isFields } from '../to-entry.ts'

/** The folder of snapshots, inside the models folder. */
export const ARTIFACTS = '.artifacts'
/** The folder of committed snapshots in {@link ARTIFACTS}. */
export const SOURCE = 'huggingface'
/** The folder of snapshots that are being gathered, in {@link ARTIFACTS}. */
export const PARTIAL = '.partial'
/** Manifest of a snapshot. A snapshot is not committed without it. */
export const MANIFEST = 'manifest.json'
/** Time without a change after which a partial snapshot of another server is taken over. */
const IDLE_MS = 5 * 60 * 1000
/** Time without a change after which a start removes a partial snapshot. */
const STALE_MS = 24 * 60 * 60 * 1000
const PARTIAL_NAME = /^([0-9a-f]{64})\.([0-9a-f]{16})$/

/** The folder of a committed snapshot: its manifest, and `snapshot` with its files. */
export function snapshotFolder(modelsPath: string, cacheKey: string): string {
  return join(modelsPath, ARTIFACTS, SOURCE, cacheKey)
}

/** Whether a snapshot is committed and its files are all there with their sizes. */
export async function hasSnapshot(modelsPath: string, cacheKey: string): Promise<boolean> {
  const folder = snapshotFolder(modelsPath, cacheKey)
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) return false
  for (const { path, sizeBytes } of parseManifest(text)) {
    const found = await stat(join(folder, 'snapshot', path)).catch(() => undefined)
    if (found?.isFile() !== true || found.size !== sizeBytes) return false
  }
  return true
}

function parseManifest(text: string): readonly { readonly path: string; readonly sizeBytes: number }[] {
  const value: unknown = toJson(text)
  const files: readonly unknown[] = isFields(value) && Array.isArray(value.files) ? value.files : [undefined]
  return files.map((file) =>
    isFields(file) && typeof file.path === 'string' && typeof file.size === 'number'
      ? { path: file.path, sizeBytes: file.size }
      : // A manifest that cannot be read describes nothing that is there.
        { path: 'unknown', sizeBytes: -1 },
  )
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The folder in which this server gathers a snapshot. Files that an earlier run has left there are continued. */
export async function openPartialSnapshot(
  modelsPath: string,
  cacheKey: string,
  { serverId, now }: { readonly serverId: string; readonly now: number },
): Promise<string> {
  const parent = join(modelsPath, ARTIFACTS, PARTIAL)
  const own = join(parent, `${cacheKey}.${hashWriter(serverId)}`)
  await makeFileFolder(parent)
  const isThere = await stat(own).catch(() => undefined)
  if (isThere === undefined) await takeOver(parent, cacheKey, { own, now })
  await mkdir(join(own, 'snapshot'), { recursive: true }).catch((error: unknown) => {
    throw toFileError(error, 'made', own)
  })
  await touch(own, now)
  return own
}

/** Continues a snapshot that another server has given up. */
async function takeOver(
  parent: string,
  cacheKey: string,
  { own, now }: { readonly own: string; readonly now: number },
): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (PARTIAL_NAME.exec(name)?.[1] !== cacheKey) continue
    const found = await stat(join(parent, name)).catch(() => undefined)
    if (found === undefined || now - found.mtimeMs < IDLE_MS) continue
    const isTaken = await rename(join(parent, name), own).then(
      () => true,
      () => false,
    )
    if (isTaken) return
  }
}

/** Says that a partial snapshot is being worked on. */
export async function touch(partial: string, now: number): Promise<void> {
  await utimes(partial, now / 1000, now / 1000).catch(() => undefined)
}

/** Gives a whole snapshot its place. One that is there already stays: it has the same content. */
export async function commitSnapshot(
  modelsPath: string,
  cacheKey: string,
  { partial, files }: { readonly partial: string; readonly files: readonly HubFile[] },
): Promise<void> {
  const folder = snapshotFolder(modelsPath, cacheKey)
  const listed = await Promise.all(
    files.map(async ({ path, sha256 }) => {
      const { size } = await stat(join(partial, 'snapshot', path))
      return { path, size, ...(sha256 === undefined ? {} : { sha256 }) }
    }),
  )
  await writeFileAtomic(join(partial, MANIFEST), JSON.stringify({ files: listed }), { mode: 0o644 })
  try {
    await mkdir(dirname(folder), { recursive: true })
    if (await hasSnapshot(modelsPath, cacheKey)) return await rm(partial, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
    await rename(partial, folder)
  } catch (error) {
    throw toFileError(error, 'written', folder)
  }
}

/** Removes a committed snapshot. */
export async function removeSnapshot(modelsPath: string, cacheKey: string): Promise<void> {
  const folder = snapshotFolder(modelsPath, cacheKey)
  await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
    throw toFileError(error, 'deleted', folder)
  })
}

/** Removes partial snapshots that nobody has touched for a day. */
export async function removeStaleSnapshots(
  modelsPath: string,
  { logger, now }: { readonly logger: Logger; readonly now: number },
): Promise<void> {
  const parent = join(modelsPath, ARTIFACTS, PARTIAL)
  for (const name of await readdir(parent).catch(() => [])) {
    if (!PARTIAL_NAME.test(name)) continue
    try {
      if (now - (await stat(join(parent, name))).mtimeMs < STALE_MS) continue
      await rm(join(parent, name), { recursive: true, force: true })
    } catch (error) {
      logger.error({ err: error, folder: name }, 'a partial snapshot could not be removed')
    }
  }
}
