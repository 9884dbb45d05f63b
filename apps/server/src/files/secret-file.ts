import { randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { StartRefused } from '../config/start-refused.ts'
import { readSystemCode, toReason } from './file-error.ts'
import { createTemporaryPath } from './temporary-files.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

const MIN_LENGTH = 32
const MAX_LENGTH = 4096
/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * The secret of a file; undefined where there is no file.
 *
 * @throws {StartRefused} exit code 78 for a file that cannot be read, or is cut
 */
export async function readSecretFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (readSystemCode(error) === 'ENOENT') return undefined
    throw new StartRefused(`the secret ${path} cannot be read: ${toReason(error)}`, { exitCode: 78, cause: error })
  })
  const secret = text?.trim()
  if (secret !== undefined && (secret.length < MIN_LENGTH || secret.length > MAX_LENGTH)) {
    throw new StartRefused(
      `the secret ${path} is not of ${MIN_LENGTH} to ${MAX_LENGTH} characters: restore it from a copy; without it every key, session and invite is invalid`,
      { exitCode: 78 },
    )
  }
  return secret
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

const isTaken = (error: unknown): boolean => readSystemCode(error) === 'EEXIST'

/** Makes the file whole or not at all, unless another process was first. */
async function makeOnce(path: string, text: string): Promise<void> {
  const draft = createTemporaryPath(path)
  try {
    await writeNew(draft, text)
    await link(draft, path)
  } catch (error) {
    if (isTaken(error)) return
    if (!NO_LINKS.has(readSystemCode(error) ?? '')) throw error
    await writeNew(path, text).catch((failure: unknown) => {
      if (!isTaken(failure)) throw failure
    })
  } finally {
    await unlink(draft).catch(() => undefined)
  }
}

/** A new secret: 256 random bits. */
const createText = (): string => `${randomBytes(32).toString('hex')}\n`

function notWritten(path: string, error: unknown): StartRefused {
  return new StartRefused(`the secret ${path} cannot be written: ${toReason(error)}`, { exitCode: 78, cause: error })
}

async function readMade(path: string): Promise<string> {
  const made = await readSecretFile(path)
  if (made === undefined) throw new StartRefused(`the secret ${path} was taken away`, { exitCode: 78 })
  return made
}

/**
 * Makes a secret that only the owner of the file can read, where there is none yet. Processes that start together agree
 * on one.
 *
 * @throws {StartRefused} exit code 78 for a file that cannot be read or written, or is cut
 */
export async function makeSecretFile(path: string): Promise<string> {
  try {
    await makeOnce(path, createText())
  } catch (error) {
    throw notWritten(path, error)
  }
  return readMade(path)
}

/**
 * Puts a new secret in the place of the one before. Everything that is stored as a hash under that one is lost.
 *
 * @throws {StartRefused} exit code 78 for a file that cannot be written
 */
export async function replaceSecretFile(path: string): Promise<string> {
  try {
    await writeFileAtomic(path, createText(), { mode: 0o600 })
  } catch (error) {
    throw notWritten(path, error)
  }
  return readMade(path)
}
