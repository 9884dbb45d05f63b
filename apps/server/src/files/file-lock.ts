import { hash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartRefused } from '../config/start-refused.ts'
import type { Clock } from '../ports.ts'
import { reasonOf, systemCode } from './file-error.ts'
import { ownIdentity, type ProcessIdentity, stateOf } from './process-identity.ts'
import { temporaryPath } from './temporary-files.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** The right to be the only server of something, until it is closed or the process ends. */
export interface FileLock extends AsyncDisposable {
  /** Why this process holds it no longer, looked at every second: its file is gone, or is another server's. */
  lossReason(): string | undefined
  close(): Promise<void>
}

/** A holder that cannot be seen shows that it lives by touching its lock this often. */
const HEARTBEAT_MS = 1000
/** Without a touch for this long it is gone. */
const HEARTBEAT_LOST_MS = 2500
/** Takeovers that others may win before we give up. */
const MAX_ATTEMPTS = 5
/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** What a lock file says of the process that holds it. */
interface Holder {
  readonly pid: number
  readonly start: string
  readonly boot?: string | undefined
  readonly namespace?: string | undefined
  readonly host: string
  readonly token: string
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false
  const { pid, start, boot, namespace, host, token } = value as Readonly<Record<string, unknown>>
  const isText = (one: unknown): boolean => typeof one === 'string'
  const isAbsentOrText = (one: unknown): boolean => one === undefined || isText(one)
  return Number.isSafeInteger(pid) && [start, host, token].every(isText) && [boot, namespace].every(isAbsentOrText)
}

const identityOf = (holder: Holder): ProcessIdentity => ({
  pid: holder.pid,
  start: holder.start,
  boot: holder.boot,
  namespace: holder.namespace,
  host: holder.host,
})

/** Who holds a lock: undefined when nobody does, `unreadable` while the file says nothing. */
async function readHolder(path: string): Promise<Holder | 'unreadable' | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isHolder(found) ? found : 'unreadable'
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : 'unreadable'
  }
}

/** Makes the lock file appear whole or not at all; false when there is one. */
async function place(path: string, content: string): Promise<boolean> {
  const draft = temporaryPath(path)
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    if (!NO_LINKS.has(systemCode(error) ?? '')) throw error
  } finally {
    await unlink(draft).catch(() => {})
  }
  return writeFile(path, content, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'EEXIST') return false
      throw error
    },
  )
}

async function touchedAt(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    (found) => found.mtimeNs,
    () => undefined,
  )
}

/** Whether the lock is touched while we look; for holders whose process we cannot see. */
async function showsLife(path: string, clock: Clock): Promise<boolean> {
  const before = await touchedAt(path)
  if (before === undefined) return false
  await clock.sleep(HEARTBEAT_LOST_MS, { signal: new AbortController().signal })
  const after = await touchedAt(path)
  return after !== undefined && after !== before
}

async function isHeld(
  path: string,
  holder: Holder | 'unreadable',
  own: ProcessIdentity,
  clock: Clock,
): Promise<boolean> {
  const state = holder === 'unreadable' ? 'unknown' : await stateOf(identityOf(holder), own)
  return state === 'unknown' ? showsLife(path, clock) : state === 'running'
}

/** What tells one holder from another. */
function tokenOf(holder: Holder | 'unreadable'): string {
  return typeof holder === 'object' ? holder.token : holder
}

/** Who may put a lock in the place of a dead holder's: whoever holds this file. */
function claimOn(path: string, dead: Holder | 'unreadable'): string {
  return `${path}.${hash('sha256', tokenOf(dead)).slice(0, 16)}`
}

/**
 * Puts a lock in the place of a dead holder's. Several may want to: only who holds the claim on it does, and only while the
 * dead one's is still there.
 *
 * @returns false when it is not there any more
 * @throws {StartRefused} when another one is at it
 */
async function replace(path: string, dead: Holder | 'unreadable', attempt: Attempt): Promise<boolean> {
  const claim = claimOn(path, dead)
  await acquire(claim, attempt)
  try {
    const found = await readHolder(path)
    if (found === undefined || tokenOf(found) !== tokenOf(dead)) return false
    await writeFileAtomic(path, attempt.content, { mode: 0o600 })
    return true
  } finally {
    await unlink(claim).catch(() => {})
  }
}

function inUse(what: string, holder: Holder | 'unreadable'): StartRefused {
  const who = holder === 'unreadable' ? '' : ` (process ${holder.pid} on ${holder.host})`
  return new StartRefused(`${what} is in use by another server${who}; stop it, or give this one a place of its own`, {
    exitCode: 75,
  })
}

/** What a beat needs. */
interface Beat {
  readonly path: string
  readonly token: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Touches the lock until it is closed, so that those who cannot see this process know that it lives; ends once the lock
 * is lost.
 *
 * @param onLost told why, once
 */
async function beat({ path, token, clock, signal }: Beat, onLost: (reason: string) => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(HEARTBEAT_MS, { signal }).catch(() => {})
    const now = clock.now() / 1000
    if (signal.aborted) return
    const holder = await readHolder(path)
    if (holder === undefined || (typeof holder === 'object' && holder.token !== token)) {
      onLost(holder === undefined ? 'its lock file is gone' : 'its lock file is that of another server')
      return
    }
    // a disk that fails for a moment must not stop the beat
    await utimes(path, now, now).catch(() => {})
  }
}

/** What a lock is to be. */
interface Attempt {
  readonly what: string
  readonly clock: Clock
  readonly own: ProcessIdentity
  readonly content: string
}

async function acquire(path: string, attempt: Attempt): Promise<void> {
  const { what, clock, own, content } = attempt
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    if (await place(path, content)) return
    const holder = await readHolder(path)
    if (holder === undefined) continue
    if (await isHeld(path, holder, own, clock)) throw inUse(what, holder)
    if (await replace(path, holder, attempt)) return
  }
  throw inUse(what, 'unreadable')
}

/**
 * Takes a lock file that names this process. One left by a process that ended, however it ended, is taken over at once;
 * one of another machine, container or boot after 2.5 s without a sign of life.
 *
 * @param options.what what the lock guards, for the sentence that a second server ends with
 * @throws {StartRefused} exit code 75 when another server holds it, 78 when the file cannot be made
 */
export async function lockFile(
  path: string,
  { what, clock }: { readonly what: string; readonly clock: Clock },
): Promise<FileLock> {
  const token = randomUUID()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const own = await ownIdentity()
    await acquire(path, { what, clock, own, content: `${JSON.stringify({ ...own, token })}\n` })
  } catch (error) {
    if (error instanceof StartRefused) throw error
    throw new StartRefused(`${what} cannot be locked with ${path}: ${reasonOf(error)}`, { exitCode: 78, cause: error })
  }
  const stopped = new AbortController()
  let lost: string | undefined
  const beating = beat({ path, token, clock, signal: stopped.signal }, (reason) => {
    lost = reason
  })
  const close = async (): Promise<void> => {
    if (stopped.signal.aborted) return
    stopped.abort()
    await beating
    const holder = await readHolder(path)
    if (typeof holder === 'object' && holder.token === token) await unlink(path).catch(() => {})
  }
  return { lossReason: () => lost, close, [Symbol.asyncDispose]: close }
}

/** The one-server-for-each-data-path lock; makes the folder where there is none. See {@link lockFile}. */
export async function lockDataPath(dataPath: string, options: { readonly clock: Clock }): Promise<FileLock> {
  return lockFile(join(dataPath, 'svc.lock'), { what: `the data path ${dataPath}`, clock: options.clock })
}
