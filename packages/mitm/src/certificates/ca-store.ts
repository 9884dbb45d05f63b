import type { Stats } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { checkArgument } from '@svc/errors'
import { authorityUnusable } from '../errors.ts'
import type { KeyedCertificate } from './certificate.ts'

/** Keeps the certificate and the key of the authority. */
export interface CaStore {
  /**
   * Reads the stored pair.
   *
   * @returns undefined when nothing is stored
   * @throws {SvcError} `mitm_authority_unusable` for half a pair, or a pair that others can read
   */
  read(): Promise<KeyedCertificate | undefined>
  /** Stores a pair as one unit, unless there is one already: then nothing changes. */
  create(pair: KeyedCertificate): Promise<void>
}

/** Options of {@link createCaFolder}. */
interface CaFolderOptions {
  /** Moves the finished folder to its place, for tests of what happens meanwhile. @default the rename of the system */
  readonly move?: ((from: string, to: string) => Promise<void>) | undefined
}

const CERTIFICATE = 'ca.crt'
const KEY = 'ca.key'
/** Windows has no modes and does not flush folders. */
const HAS_MODES = process.platform !== 'win32'

/** Modes of a folder in which others can replace files. */
const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/**
 * Keeps the authority in a folder: `ca.crt`, and `ca.key` with mode 0600. The folder has mode 0700. It appears with
 * both files at once: they are written to a folder beside it, which is then renamed.
 *
 * The folder and both files may be links, and the folder may be a mount point, as where a platform provides secrets.
 * Others may enter such a folder. They may not replace its files or read the key.
 */
export function createCaFolder(folder: string, { move = rename }: CaFolderOptions = {}): CaStore {
  // The path '' would be the working folder.
  checkArgument(typeof folder === 'string' && folder !== '', 'createCaFolder: folder', 'the path of a folder', folder)
  const path = resolve(folder)
  return { read: () => readPair(path), create: (pair) => createPair(path, pair, move) }
}

async function readPair(path: string): Promise<KeyedCertificate | undefined> {
  const stats = await findStats(path)
  if (stats === undefined) return undefined
  if (!stats.isDirectory()) throw authorityUnusable(`${path} is not a folder`)
  const names = new Set(await readdir(path))
  const hasKey = names.has(KEY)
  if (hasKey !== names.has(CERTIFICATE)) {
    const [present, missing] = hasKey ? [KEY, CERTIFICATE] : [CERTIFICATE, KEY]
    throw authorityUnusable(
      `${path} holds ${present} without ${missing}; restore ${missing}, or move ${present} away to get a new authority`,
    )
  }
  if (!hasKey) return undefined
  await checkModes(path, stats)
  const certificate = await readText(join(path, CERTIFICATE))
  const key = await readText(join(path, KEY))
  await removeLeftovers(await realpath(path))
  return { certificate, key }
}

async function checkModes(path: string, folder: Stats): Promise<void> {
  const key = join(path, KEY)
  const stats = await findFile(key)
  await findFile(join(path, CERTIFICATE))
  if (!HAS_MODES) return
  const isOurs = !(await isProvided(path, folder))
  if (isOurs && (folder.mode & 0o077) !== 0) throw authorityUnusable(`others can enter ${path}; run chmod 700 on it`)
  if (!isOurs) for (const file of [key, join(path, CERTIFICATE)]) await checkFolders(path, file)
  // A provided key of another owner may be readable by the group through which it is read.
  const isThroughGroup = !isOurs && stats.uid !== process.getuid?.()
  if ((stats.mode & (isThroughGroup ? 0o037 : 0o077)) !== 0) {
    throw authorityUnusable(`others can read ${key}; run chmod 600 on it, or mount it with mode 0400`)
  }
}

async function findFile(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: unknown) => {
    throw authorityUnusable(`${path} cannot be read`, error)
  })
  if (!stats.isFile()) throw authorityUnusable(`${path} is not a file`)
  return stats
}

/** Whether the folder or a file in it comes from elsewhere: by a link, or by a mount. */
async function isProvided(path: string, folder: Stats): Promise<boolean> {
  const [own, key, certificate, parent] = await Promise.all([
    lstat(path),
    lstat(join(path, KEY)),
    lstat(join(path, CERTIFICATE)),
    stat(dirname(path)),
  ])
  return [own, key, certificate].some((stats) => stats.isSymbolicLink()) || folder.dev !== parent.dev
}

/** Checks the folder of an authority, and the one to which a link in it leads. */
async function checkFolders(path: string, file: string): Promise<void> {
  for (const folder of new Set([await realpath(path), dirname(await realpath(file))])) {
    const { mode } = await stat(folder)
    // In a sticky folder, others cannot replace files.
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) {
      throw authorityUnusable(`others can replace files in ${folder}; run chmod go-w on it`)
    }
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    throw authorityUnusable(`${path} cannot be read`, error)
  }
}

async function findStats(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw authorityUnusable(`${path} cannot be read`, error)
  }
  const own = await lstat(path).catch(() => undefined)
  if (own === undefined) return undefined
  if (own.isSymbolicLink()) throw authorityUnusable(`${path} is a link to a folder that does not exist`)
  // Another process has made it meanwhile.
  return own
}

async function createPair(
  named: string,
  { certificate, key }: KeyedCertificate,
  move: (from: string, to: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(named), { recursive: true })
  // A link to an empty folder stays: its folder is filled.
  const path = (await findStats(named)) === undefined ? named : await realpath(named)
  // mkdtemp makes folders with mode 0700.
  const fresh = await mkdtemp(toFreshPrefix(path))
  try {
    await writeDurably(join(fresh, KEY), key, 0o600)
    await writeDurably(join(fresh, CERTIFICATE), certificate, 0o644)
    await flushFolder(fresh)
    // Replaces an empty folder at most: a folder with files makes it fail.
    await move(fresh, path)
    await flushFolder(dirname(path))
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // Another process may have been first, and may have removed the folder as a leftover.
    if ((await readPair(path)) === undefined) throw authorityUnusable(explainFailure(path, error), error)
  }
}

function explainFailure(path: string, error: unknown): string {
  if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
    return `${path} holds other files and no authority; name an empty folder or one that does not exist`
  }
  if (hasCode(error, 'EBUSY', 'EXDEV')) return `${path} is a mount point; name a folder below it`
  return `${path} cannot be written`
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    // Independent of the umask.
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function flushFolder(path: string): Promise<void> {
  if (!HAS_MODES) return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Removes files that killed processes left: only once there is an authority, which nothing replaces. */
async function removeLeftovers(path: string): Promise<void> {
  const prefix = basename(toFreshPrefix(path))
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    await rm(join(dirname(path), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function toFreshPrefix(path: string): string {
  return `${path}.new-`
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
