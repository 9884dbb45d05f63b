import { lstat, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFileError } from '../files/file-error.ts'
import { readLastWrite } from '../files/last-write.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { isSafeName, toFileName } from '../files/safe-path.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { hashWriter } from '../operations/server-id.ts'
import type { Logger } from '../ports.ts'
import { isFields } from './to-entry.ts'

/** Everything that makes an installed model, but for its large files, which wait in the staging folder. */
export interface ModelCommit {
  /** Names of files that go from the staging folder to their places. */
  readonly moves: readonly string[]
  /** Small files with their text; written after the moves, in this order. */
  readonly texts: readonly { readonly filename: string; readonly text: string }[]
}

/** The folder, inside the models folder, in which files of models wait for their places. */
export const STAGING = '.staging'
/** The file of a staging folder that says how its model is finished. */
export const JOURNAL = 'commit.json'
const FILE_MODE = 0o644
/** Time without a change after which a start removes a staging folder. */
const STALE_MS = 7 * 24 * 60 * 60 * 1000
/** Another server finishes its own journal within moments. After this time it has ended before it could. */
const IDLE_MS = 5 * 60 * 1000
const STAGING_NAME = /^(.+)\.([0-9a-f]{16})$/

/** A server and its models folder, which it may share with other servers. */
export interface StagingPlace {
  readonly modelsPath: string
  readonly serverId: string
}

/**
 * The folder that this server fetches the files of a model to. It is below the models folder, so that a move is a rename.
 * Its name has the writer: servers that share a models folder never write to one file.
 */
export function stagingFolder({ modelsPath, serverId }: StagingPlace, name: string): string {
  return join(modelsPath, STAGING, `${toFileName(name)}.${hashWriter(serverId)}`)
}

/** Whether a folder in {@link STAGING} is of this server. One without a writer is of an earlier version. */
export function isOwnStaging(folder: string, serverId: string): boolean {
  const writer = STAGING_NAME.exec(folder)?.[2]
  return writer === undefined || writer === hashWriter(serverId)
}

/** Whether a folder in {@link STAGING} may be of a model. Case does not count, as in the search for an entry. */
export function mayStage(folder: string, model: string): boolean {
  const staged = STAGING_NAME.exec(folder)?.[1] ?? folder
  const file = toFileName(model)
  // A shortened name has a hash of the name in its own case.
  if (staged.includes('~') && file.includes('~')) return true
  return file === staged || unescapeName(staged).toLowerCase() === model.toLowerCase()
}

function unescapeName(fileName: string): string {
  try {
    return decodeURIComponent(fileName)
  } catch {
    return fileName
  }
}

/**
 * Replaces the files of a model. The journal is written first: from then on the new model is in force, also after a
 * kill, which the next start makes good by {@link finishCommits}.
 *
 * @throws {SvcError} `disk_full`, `file_failed`, `invalid_file`
 */
export async function commitModel(place: StagingPlace, name: string, commit: ModelCommit): Promise<void> {
  const { modelsPath } = place
  const staging = stagingFolder(place, name)
  for (const filename of [...commit.moves, ...commit.texts.map((text) => text.filename)]) {
    await prepareFolder(modelsPath, filename)
  }
  await makeFileFolder(staging)
  await writeFileAtomic(join(staging, JOURNAL), JSON.stringify(commit), { mode: 0o600 })
  await finish(modelsPath, staging, commit)
}

/**
 * Finishes what a kill has interrupted, and removes staging folders that nobody has touched for a week. Leaves a folder to
 * another server while that one may be at work.
 */
export async function finishCommits(
  { modelsPath, serverId }: StagingPlace,
  { logger, now }: { readonly logger: Logger; readonly now: number },
): Promise<void> {
  const parent = join(modelsPath, STAGING)
  for (const folder of await readdir(parent).catch(() => [])) {
    const staging = join(parent, folder)
    try {
      const idleMs = now - (await readLastWrite(staging))
      if (!isOwnStaging(folder, serverId) && idleMs < IDLE_MS) continue
      const commit = await readJournal(staging)
      if (commit !== undefined) await finish(modelsPath, staging, commit)
      else if (idleMs > STALE_MS) await rm(staging, { recursive: true, force: true })
    } catch (error) {
      logger.error({ err: error, folder }, 'the installation of a model could not be finished')
    }
  }
}

async function finish(modelsPath: string, staging: string, { moves, texts }: ModelCommit): Promise<void> {
  for (const filename of moves) await move(join(staging, filename), join(modelsPath, filename))
  for (const { filename, text } of texts) await writeFileAtomic(join(modelsPath, filename), text, { mode: FILE_MODE })
  await rm(staging, { recursive: true, force: true })
}

/** Moves a file unless that has been done. */
async function move(from: string, to: string): Promise<void> {
  try {
    const isThere = await lstat(from).then(
      (found) => found.isFile(),
      () => false,
    )
    if (!isThere) return
    await rename(from, to)
    await syncFolder(dirname(to))
  } catch (error) {
    throw toFileError(error, 'written', to)
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the folder of a file and sees that it lies inside the models folder, links followed. */
async function prepareFolder(modelsPath: string, filename: string): Promise<void> {
  const folder = dirname(join(modelsPath, filename))
  await makeFileFolder(folder)
  const [root, real] = await Promise.all([realpath(modelsPath), realpath(folder)])
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return
  throw new SvcError('invalid_request', `${filename} would lie outside the models folder`, { code: 'invalid_file' })
}

async function readJournal(staging: string): Promise<ModelCommit | undefined> {
  const text = await readFile(join(staging, JOURNAL), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  if (!isFields(value) || !Array.isArray(value.moves) || !Array.isArray(value.texts)) return undefined
  const isName = (name: unknown): name is string => typeof name === 'string' && isSafeName(name.replace(/^\._/, ''))
  const moves: readonly unknown[] = value.moves
  const texts: readonly unknown[] = value.texts
  return {
    moves: moves.filter(isName),
    texts: texts.flatMap((item) =>
      isFields(item) && isName(item.filename) && typeof item.text === 'string'
        ? [{ filename: item.filename, text: item.text }]
        : [],
    ),
  }
}
