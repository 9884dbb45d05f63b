import { lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { checkArgument } from '@svc/errors'
import type { KeyedCertificate } from './certificate.ts'
import { authorityUnusable } from './errors.ts'

/** Keeps the certificate and the key of the authority. */
export interface CaStore {
  /**
   * Reads the stored pair.
   *
   * @returns undefined when nothing is stored
   * @throws {SvcError} `mitm_authority_unusable` for half a pair, or one that others can read
   */
  read(): Promise<KeyedCertificate | undefined>
  /** Stores a pair as one unit, unless there is one already: then nothing changes. */
  create(pair: KeyedCertificate): Promise<void>
}

const CERTIFICATE = 'ca.crt'
const KEY = 'ca.key'
/** Windows has no modes and does not flush folders. */
const HAS_MODES = process.platform !== 'win32'

/**
 * Keeps the authority in a folder: `ca.crt`, and `ca.key` with mode 0600. The folder has mode 0700. It appears with both
 * files at once: they are written to a folder beside it, which is then renamed.
 */
export function createCaFolder(folder: string): CaStore {
  // The path '' would be the working folder.
  checkArgument(typeof folder === 'string' && folder !== '', 'createCaFolder: folder', 'the path of a folder', folder)
  const path = resolve(folder)
  return { read: () => readPair(path), create: (pair) => createPair(path, pair) }
}

async function readPair(path: string): Promise<KeyedCertificate | undefined> {
  const stats = await findStats(path)
  if (stats === undefined) return undefined
  if (!stats.isDirectory()) throw authorityUnusable(`${path} is not a folder; links are not followed`)
  const names = new Set(await readdir(path))
  const hasKey = names.has(KEY)
  if (hasKey !== names.has(CERTIFICATE)) {
    const [present, missing] = hasKey ? [KEY, CERTIFICATE] : [CERTIFICATE, KEY]
    throw authorityUnusable(
      `${path} holds ${present} without ${missing}; restore ${missing}, or move ${present} away to get a new authority`,
    )
  }
  if (!hasKey) return undefined
  if (HAS_MODES && (stats.mode & 0o077) !== 0) throw authorityUnusable(`others can enter ${path}; run chmod 700 on it`)
  await checkKeyFile(join(path, KEY))
  const [certificate, key] = await Promise.all([
    readFile(join(path, CERTIFICATE), 'latin1'),
    readFile(join(path, KEY), 'latin1'),
  ])
  await removeLeftovers(path)
  return { certificate, key }
}

async function checkKeyFile(path: string): Promise<void> {
  const stats = await lstat(path)
  if (!stats.isFile()) throw authorityUnusable(`${path} is not a file; links are not followed`)
  if (HAS_MODES && (stats.mode & 0o077) !== 0) throw authorityUnusable(`others can read ${path}; run chmod 600 on it`)
}

async function findStats(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw authorityUnusable(`${path} cannot be read`, error)
  }
}

async function createPair(path: string, { certificate, key }: KeyedCertificate): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // mkdtemp makes folders with mode 0700.
  const fresh = await mkdtemp(toFreshPrefix(path))
  try {
    await writeDurably(join(fresh, KEY), key, 0o600)
    await writeDurably(join(fresh, CERTIFICATE), certificate, 0o644)
    await flushFolder(fresh)
    // Replaces an empty folder at most: a folder with files makes it fail.
    await rename(fresh, path)
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

/** Removes what killed processes left: only once there is an authority, which nothing replaces. */
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
