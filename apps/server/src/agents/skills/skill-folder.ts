import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { readSystemCode, toFileError } from '../../files/file-error.ts'
import { openInside } from '../../files/safe-path.ts'
import { syncFolder, writeFileAtomic } from '../../files/write-file-atomic.ts'
import { SKILL_LIMITS, type SkillResource, wrongSkill } from './skill.ts'
import type { SkillFiles } from './skill-archive.ts'

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]
/** Folders under way: their names are none of skills. */
const TEMPORARY = /^\.(?:new|gone)-/u

/** Removes what a killed server has left. */
export async function sweepSkills(root: string): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) if (TEMPORARY.test(name)) await rm(join(root, name), { recursive: true, force: true })
}

/** Lists the folders below the root, sorted. Links are none. */
export async function listFolders(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (readSystemCode(error) === 'ENOENT') return []
    throw toFileError(error, 'read', 'skills')
  })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Whether a skill of that name has a folder, or anything else stands in its place. */
export async function isTaken(root: string, name: string): Promise<boolean> {
  return (await lstat(join(root, name)).catch(() => undefined)) !== undefined
}

/**
 * Makes a skill: all of its files, or none.
 *
 * @throws {SvcError} `conflict` when the name is taken; failures of the disk
 */
export async function makeFolder(root: string, name: string, files: SkillFiles): Promise<void> {
  const temporary = join(root, `.new-${randomUUID()}`)
  try {
    await mkdir(temporary, { recursive: true, mode: FOLDER_MODE })
    for (const [path, bytes] of files) {
      const place = join(temporary, path)
      await mkdir(dirname(place), { recursive: true, mode: FOLDER_MODE })
      await writeFile(place, bytes, { flag: 'wx', mode: FILE_MODE, flush: true })
    }
    if (await isTaken(root, name)) throw new SvcError('conflict', `the skill '${name}' already exists`)
    await rename(temporary, join(root, name))
    await syncFolder(root)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw SvcError.is(error) ? error : toFileError(error, 'written', 'skill')
  }
}

/** Removes a skill: from one moment to the next it is gone. */
export async function removeFolder(root: string, name: string): Promise<void> {
  const gone = join(root, `.gone-${randomUUID()}`)
  await rename(join(root, name), gone)
  await rm(gone, { recursive: true, force: true })
}

/** Lists the files of a skill. Links and what is too deep are left out. @throws {SvcError} `invalid_request` for too many */
export async function listFiles(folder: string): Promise<readonly SkillResource[]> {
  const found: SkillResource[] = []
  async function look(path: string, depth: number): Promise<void> {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory() && depth < SKILL_LIMITS.depth) await look(inner, depth + 1)
      if (!entry.isFile()) continue
      if (found.length >= SKILL_LIMITS.files) throw wrongSkill(`the skill has more than ${SKILL_LIMITS.files} files`)
      const { size, mtimeMs } = await lstat(join(folder, inner))
      found.push({ path: inner, sizeBytes: size, modifiedAt: mtimeMs })
    }
  }
  await look('', 1)
  return found.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Reads a file of a skill. @throws {SvcError} `not_found`, `invalid_request`, also for a link that leads outside */
export async function readInside(folder: string, path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openInside(folder, path, { what: 'resource' })
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) throw wrongSkill(`the file is larger than ${maxBytes} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Writes a file of a skill. @throws {SvcError} `invalid_request` where a link is in the way */
export async function writeInside(folder: string, path: string, bytes: Uint8Array | string): Promise<void> {
  const segments = path.split('/')
  for (let depth = 1; depth < segments.length; depth += 1) {
    const place = join(folder, ...segments.slice(0, depth))
    await mkdir(place, { mode: FOLDER_MODE }).catch((error: unknown) => {
      if (readSystemCode(error) !== 'EEXIST') throw toFileError(error, 'written', 'skill')
    })
    if (!(await lstat(place)).isDirectory()) throw wrongSkill('path: a file or a link is in its way')
  }
  const target = join(folder, path)
  const before = await lstat(target).catch(() => undefined)
  if (before !== undefined && !before.isFile()) throw wrongSkill('path: a folder or a link is in its way')
  await writeFileAtomic(target, bytes, { mode: FILE_MODE })
}

/** Removes a file of a skill. @throws {SvcError} `not_found`, `invalid_request` */
export async function removeInside(folder: string, path: string): Promise<void> {
  // It is a regular file of this folder.
  await (await openInside(folder, path, { what: 'resource' })).close()
  await rm(join(folder, path))
}
