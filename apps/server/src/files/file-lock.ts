import { hash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartRefused } from '../config/start-refused.ts'
import type { Clock } from '../ports.ts'
import { readSystemCode, toReason } from './file-error.ts'
import { type ProcessIdentity, readOwnIdentity, readState } from './process-identity.ts'
import { createTemporaryPath } from './temporary-files.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** The right to be the only server of something, until it is closed or the process ends. */
export interface FileLock extends AsyncDisposable {
  /**
   * Gives the reason why this process has lost the lock, checked every second: its file is gone, or belongs to another
   * server.
   */
  lossReason(): string | undefined
  close(): Promise<void>
}

/** Interval at which a holder touches its lock, for processes that cannot see the holder. */
const HEARTBEAT_MS = 1000
/** A holder without a touch for this long is dead. */
const HEARTBEAT_LOST_MS = 2500
/** Maximum number of lost takeovers before this process gives up. */
const MAX_ATTEMPTS = 5
/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** The process that holds a lock, as the lock file names it. */
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

const toIdentity = (holder: Holder): ProcessIdentity => ({
  pid: holder.pid,
  start: holder.start,
  boot: holder.boot,
  namespace: holder.namespace,
  host: holder.host,
})

/** Reads the holder of a lock: undefined without one, `unreadable` while the file has no content. */
async function readHolder(path: string): Promise<Holder | 'unreadable' | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isHolder(found) ? found : 'unreadable'
  } catch (error) {
    return readSystemCode(error) === 'ENOENT' ? undefined : 'unreadable'
  }
}

/** Creates the lock file complete or not at all; false when it exists already. */
async function place(path: string, content: string): Promise<boolean> {
  const draft = createTemporaryPath(path)
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
    return true
  } catch (error) {
    if (readSystemCode(error) === 'EEXIST') return false
    if (!NO_LINKS.has(readSystemCode(error) ?? '')) throw error
  } finally {
    await unlink(draft).catch(() => {})
  }
  return writeFile(path, content, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    (error: unknown) => {
      if (readSystemCode(error) === 'EEXIST') return false
      throw error
    },
  )
}

async function readTouchTime(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    (found) => found.mtimeNs,
    () => undefined,
  )
}

/** Watches whether the lock is touched, for holders whose process is not visible. */
async function showsLife(path: string, clock: Clock): Promise<boolean> {
  const before = await readTouchTime(path)
  if (before === undefined) return false
  await clock.sleep(HEARTBEAT_LOST_MS, { signal: new AbortController().signal })
  const after = await readTouchTime(path)
  return after !== undefined && after !== before
}

async function isHeld(
  path: string,
  holder: Holder | 'unreadable',
  own: ProcessIdentity,
  clock: Clock,
): Promise<boolean> {
  const state = holder === 'unreadable' ? 'unknown' : await readState(toIdentity(holder), own)
  return state === 'unknown' ? showsLife(path, clock) : state === 'running'
}

/** Gives a text that differs between holders. */
function toToken(holder: Holder | 'unreadable'): string {
  return typeof holder === 'object' ? holder.token : holder
}

/** Path of the claim: its holder may replace the lock of a dead holder. */
function toClaimPath(path: string, dead: Holder | 'unreadable'): string {
  return `${path}.${hash('sha256', toToken(dead)).slice(0, 16)}`
}

/**
 * Replaces the lock of a dead holder. Of several processes only the holder of its claim does, and only while the dead
 * holder's lock is still there.
 *
 * @returns false when it is gone
 * @throws {StartRefused} when another process is replacing it
 */
async function replace(path: string, dead: Holder | 'unreadable', attempt: Attempt): Promise<boolean> {
  const claim = toClaimPath(path, dead)
  await acquire(claim, attempt)
  try {
    const found = await readHolder(path)
    if (found === undefined || toToken(found) !== toToken(dead)) return false
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

/** Context of a beat. */
interface Beat {
  readonly path: string
  readonly token: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Touches the lock until it is closed, for processes that cannot see this one; ends when the lock is lost.
 *
 * @param onLost called once with the reason
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

/** Facts of a lock to take. */
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
 * Takes a lock file that names this process. The lock of a process that has ended is taken over at once; one of another
 * machine, container or boot after 2.5 s without a touch.
 *
 * @param options.what the locked thing, for the message to a second server
 * @throws {StartRefused} exit code 75 when another server holds it, 78 when the file cannot be made
 */
export async function lockFile(
  path: string,
  { what, clock }: { readonly what: string; readonly clock: Clock },
): Promise<FileLock> {
  const token = randomUUID()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const own = await readOwnIdentity()
    await acquire(path, { what, clock, own, content: `${JSON.stringify({ ...own, token })}\n` })
  } catch (error) {
    if (error instanceof StartRefused) throw error
    throw new StartRefused(`${what} cannot be locked with ${path}: ${toReason(error)}`, { exitCode: 78, cause: error })
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

/**
 * Takes the lock of a data path, which only one server may use; creates the folder if it is missing. See
 * {@link lockFile}.
 */
export async function lockDataPath(dataPath: string, options: { readonly clock: Clock }): Promise<FileLock> {
  return lockFile(join(dataPath, 'svc.lock'), { what: `the data path ${dataPath}`, clock: options.clock })
}
