import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createTestCa } from './certificates.ts'
import { collectLines } from './lines.ts'
import { createNatsAccounts, type NatsUser, type NatsUserOptions } from './nats-accounts.ts'
import { findFreePort } from './postgres.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/** A NATS server for one test file. */
export interface RunningNats extends AsyncDisposable {
  readonly available: true
  /** Its address. With `auth: 'password'` a user and a password stand in it. */
  readonly url: string
  readonly port: number
  /** Credentials of a user without limits. */
  readonly service: NatsUser
  /** Seed of the account, which signs users. */
  readonly accountSeed: string
  /** Files of TLS; undefined without it. The server certificate is one for clients as well. */
  readonly tls: NatsTls | undefined
  createUser(name: string, options?: NatsUserOptions): Promise<NatsUser>
  /** Output of the server so far. */
  output(): string
  /** Stops the server, as an outage does. */
  halt(): Promise<void>
  /** Stops it without a goodbye. */
  kill(): Promise<void>
  /** Stops it in the midst: connections stay open and nothing is answered, until it is resumed. */
  freeze(): void
  /** Starts it again at the same address, or lets a frozen one go on. */
  resume(): Promise<void>
  /** Stops the server and removes its files. */
  close(): Promise<void>
}

/** PEM files. */
export interface NatsTls {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** The reason why this machine has no NATS server; a suite reports it and does not run. */
export interface UnavailableNats extends AsyncDisposable {
  readonly available: false
  readonly reason: string
}

/** Options of a server. */
export interface NatsOptions {
  /** Who may connect: users with minted credentials, one user with a password, or everybody. @default true */
  readonly auth?: boolean | 'password' | undefined
  /** Whether connections are encrypted; `mutual` asks clients for a certificate too. @default false */
  readonly tls?: boolean | 'mutual' | undefined
}

/** Where packages of Linux distributions put the program, beside the folders of `PATH`. */
const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/bin']
const ATTEMPTS = 3

/**
 * Starts `nats-server` on a free port of the loopback interface. It takes some 100 ms. A test file shares one server.
 *
 * @example
 * const nats = await startNats()
 * afterAll(() => nats[Symbol.asyncDispose]())
 * describe.skipIf(!nats.available)('over NATS', ...)
 */
export async function startNats(options: NatsOptions = {}): Promise<RunningNats | UnavailableNats> {
  const program = findProgram('nats-server')
  if (program === undefined) return unavailable('nats-server is not installed')
  let reason = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const dir = await tempDir('svc-nats-')
    try {
      return await tryToStart(program, dir, options)
    } catch (error) {
      await dir.close()
      reason = String(error)
      // Another process may have taken the port between finding and using it.
      if (!/address already in use/i.test(reason)) break
    }
  }
  return unavailable(reason)
}

function unavailable(reason: string): UnavailableNats {
  return { available: false, reason, [Symbol.asyncDispose]: async () => {} }
}

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...folders, ...USUAL_FOLDERS].map((folder) => join(folder, name)).find((file) => existsSync(file))
}

async function tryToStart(
  program: string,
  dir: TempDir,
  { auth = true, tls = false }: NatsOptions,
): Promise<RunningNats> {
  const accounts = await createNatsAccounts()
  const files = tls === false ? undefined : await writeTls(dir)
  const port = await findFreePort()
  const configuration = [
    `listen: 127.0.0.1:${port}`,
    'max_payload: 8MB',
    ...(auth === true ? [accounts.configuration] : []),
    ...(auth === 'password' ? ['authorization: { user: front, password: "svc-test" }'] : []),
    ...(files === undefined ? [] : [formatTls(files, tls === 'mutual')]),
  ]
  await writeFile(dir.join('nats.conf'), configuration.join('\n'), { mode: 0o600 })
  const server = createServer(program, dir.join('nats.conf'))
  await server.start()
  const close = async (): Promise<void> => {
    await server.stop('SIGKILL')
    await dir.close()
  }
  const login = auth === 'password' ? 'front:svc-test@' : ''
  return {
    available: true,
    url: `${files === undefined ? 'nats' : 'tls'}://${login}127.0.0.1:${port}`,
    port,
    service: await accounts.createUser('service'),
    accountSeed: accounts.accountSeed,
    tls: files,
    createUser: accounts.createUser,
    output: server.output,
    halt: () => server.stop('SIGTERM'),
    kill: () => server.stop('SIGKILL'),
    freeze: server.freeze,
    resume: server.start,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function writeTls(dir: TempDir): Promise<NatsTls> {
  const ca = createTestCa()
  const { cert, key } = ca.issue(['localhost', '127.0.0.1'])
  const files = { ca: dir.join('ca.pem'), cert: dir.join('cert.pem'), key: dir.join('key.pem') }
  await writeFile(files.ca, ca.cert)
  await writeFile(files.cert, cert)
  await writeFile(files.key, key, { mode: 0o600 })
  return files
}

function formatTls({ ca, cert, key }: NatsTls, isMutual: boolean): string {
  const files = `cert_file: "${cert}", key_file: "${key}"`
  return `tls: { ${files}${isMutual ? `, ca_file: "${ca}", verify: true` : ''} }`
}

interface ServerProcess {
  start(): Promise<void>
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  freeze(): void
  output(): string
}

/** A server that can be started again and again. */
function createServer(program: string, configuration: string): ServerProcess {
  let child: ChildProcess | undefined
  let isFrozen = false
  let written = ''
  // A test process that ends early leaves no server behind.
  const killNow = (): void => void child?.kill('SIGKILL')
  return {
    output: () => written,
    async start() {
      if (isFrozen) {
        isFrozen = false
        child?.kill('SIGCONT')
        return
      }
      if (child !== undefined) throw new Error('the server runs')
      const started = spawn(program, ['-c', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
      child = started
      process.once('exit', killNow)
      const lines = collectLines(started.stderr)
      started.stderr.on('data', (text: string) => {
        written += text
      })
      const failed = once(started, 'error').then(([error]) => Promise.reject(error))
      await Promise.race([lines.waitFor('Server is ready'), failed])
    },
    async stop(signal) {
      const stopped = child
      child = undefined
      isFrozen = false
      process.off('exit', killNow)
      if (stopped === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return
      const exited = once(stopped, 'exit')
      stopped.kill(signal)
      await exited
    },
    freeze() {
      isFrozen = true
      child?.kill('SIGSTOP')
    },
  }
}
