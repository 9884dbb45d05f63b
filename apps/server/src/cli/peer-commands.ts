import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { SvcError } from '@svc/errors'
import { type Environment, toChildEnvironment } from '../backends/child-environment.ts'
import { findFreePort } from '../backends/endpoint.ts'
import { systemClock } from '../clock.ts'
import { readAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createLogger } from '../logging/log.ts'
import { openNetwork } from '../p2p/network.ts'
import { readNetworkOptions, type ServicePlace } from '../p2p/options.ts'
import { createKey, formatToken, readToken } from '../p2p/token.ts'
import { printError, printLine } from './terminal.ts'

/** `svc p2p token`: prints the token of a new network. */
export function printTokenCommand(): void {
  printLine(formatToken({ key: createKey(), peers: [] }))
}

/** The task of `svc p2p worker`. */
export interface WorkerTask {
  readonly config: ServerConfig
  /** The port of a running rpc-server, with its host unless it is this machine, or a program with its arguments. */
  readonly worker: readonly [string, ...string[]]
}

/** Time that a program gets to end after its signal. */
const STOP_MS = 5000

/**
 * `svc p2p worker`: offers an rpc-server to the network until a signal comes or its program ends.
 *
 * @returns the exit code: 0 after a signal
 * @throws {SvcError} `p2p_missing`, `invalid_p2p_token`
 */
export async function runWorkerCommand({ config, worker }: WorkerTask, environment: Environment): Promise<number> {
  if (config.p2pToken === '') throw new SvcError('invalid_request', 'p2p worker needs --p2p-token')
  const token = readToken(config.p2pToken)
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const stopped = once(stopping.signal, 'abort').then(() => 0)
  const served = await serveWorker(worker, { environment, signal: stopping.signal })
  const logger = createLogger({ level: config.debug ? 'debug' : config.logLevel, format: config.logFormat })
  const network = await openNetwork({
    token,
    networkId: config.p2pNetworkId,
    ...readNetworkOptions(config),
    offers: { worker: () => served.place },
    wants: [],
    clock: systemClock,
    logger,
  })
  logger.info({ peer: network.id, ...served.place }, 'a worker is offered to the peer-to-peer network')
  const code = await Promise.race([stopped, served.ended])
  stopping.abort()
  await network.close()
  await served.ended
  return code
}

/** A service that runs. */
interface Served {
  readonly place: ServicePlace
  /** Settles with the exit code once the program has ended. */
  readonly ended: Promise<number>
}

async function serveWorker(
  [first, ...rest]: WorkerTask['worker'],
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<Served> {
  const running = rest.length === 0 ? readPlace(first) : undefined
  if (running !== undefined) return { place: running, ended: once(signal, 'abort').then(() => 0) }
  const port = await findFreePort()
  const program = spawn(first, [...rest, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: toChildEnvironment(environment),
  })
  const end = (): void => {
    program.kill('SIGTERM')
    setTimeout(() => program.kill('SIGKILL'), STOP_MS).unref()
  }
  signal.addEventListener('abort', end, { once: true })
  const ended = new Promise<number>((resolve) => {
    program.once('error', ({ message }) => {
      printError(`${first} cannot be started: ${message}\n`)
      resolve(1)
    })
    program.once('exit', () => resolve(signal.aborted ? 0 : 1))
  })
  return { place: { host: '127.0.0.1', port }, ended }
}

/**
 * Reads the place of a running rpc-server.
 *
 * @param text a port of this machine, or host and port; undefined for anything else, such as the name of a program
 */
export function readPlace(text: string): ServicePlace | undefined {
  const { host = '127.0.0.1', port = 0 } = readAddress(/^\d+$/.test(text) ? `:${text}` : text) ?? {}
  return port === 0 ? undefined : { host, port }
}
