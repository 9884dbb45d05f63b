import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { SvcError } from '@svc/errors'
import { type Environment, toChildEnvironment } from '../backends/child-environment.ts'
import { findFreePort } from '../backends/endpoint.ts'
import { systemClock } from '../clock.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createLogger } from '../logging/log.ts'
import { openNetwork } from '../p2p/network.ts'
import { readNetworkOptions } from '../p2p/options.ts'
import { createKey, formatToken, readToken } from '../p2p/token.ts'
import { printError, printLine } from './terminal.ts'

/** `svc p2p token`: prints the token of a new network. */
export function printTokenCommand(): void {
  printLine(formatToken({ key: createKey(), peers: [] }))
}

/** The task of `svc p2p worker`. */
export interface WorkerTask {
  readonly config: ServerConfig
  /** The local port of a running rpc-server, or a program with its arguments. */
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
  const served = await serveLocally(worker, { environment, signal: stopping.signal })
  const logger = createLogger({ level: config.debug ? 'debug' : config.logLevel, format: config.logFormat })
  const network = await openNetwork({
    token,
    networkId: config.p2pNetworkId,
    ...readNetworkOptions(config),
    offers: { worker: () => served.port },
    wants: [],
    clock: systemClock,
    logger,
  })
  logger.info({ peer: network.id, port: served.port }, 'a worker is offered to the peer-to-peer network')
  const code = await Promise.race([stopped, served.ended])
  stopping.abort()
  await network.close()
  await served.ended
  return code
}

/** A program at a local port. */
interface Served {
  readonly port: number
  /** Settles with the exit code once the program has ended. */
  readonly ended: Promise<number>
}

async function serveLocally(
  [first, ...rest]: WorkerTask['worker'],
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<Served> {
  if (/^\d{1,5}$/.test(first) && rest.length === 0) {
    return { port: Number(first), ended: once(signal, 'abort').then(() => 0) }
  }
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
  return { port, ended }
}
