import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { upstreamFailed } from '../errors.ts'
import type { Destination } from './no-proxy.ts'
import { openTunnel } from './tunnel.ts'
import type { WayOut } from './way-out.ts'

/** Options of {@link TunnelAgent}. */
export interface TunnelAgentOptions extends AgentOptions {
  readonly wayOut: WayOut
  /** Whether TLS is spoken with the destination. */
  readonly isTls: boolean
  /** Authorities that verify proxy and destination. @default the authorities of Node */
  readonly trust?: (() => SecureContext) | undefined
  /** For name look-up, tunnel and TLS together. @default 10000 */
  readonly connectMs?: number | undefined
  /** Ends connections that are being made. */
  readonly signal?: AbortSignal | undefined
}

/** Connections of `node:http` through a proxy, and past it to this machine. A connection is given once it is open. */
export class TunnelAgent extends Agent {
  readonly #options: TunnelAgentOptions

  constructor({ wayOut, isTls, trust, connectMs, signal, ...options }: TunnelAgentOptions) {
    super(options)
    this.#options = { wayOut, isTls, trust, connectMs, signal }
    // Requests over TLS check that their agent speaks it.
    if (isTls) Object.assign(this, { protocol: 'https:', defaultPort: 443 })
  }

  /** Called by the agent. */
  override createConnection(
    { host, hostname, port }: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect({ host: host ?? hostname ?? '', port: Number(port) }).then(
      (socket) => {
        callback(null, socket)
        if (socket.isPaused()) socket.resume()
      },
      // The declared type wants a socket with an error too; the agent does not look at it.
      (error) => Reflect.apply(callback, undefined, [error]),
    )
  }

  async #connect(destination: Destination): Promise<Socket> {
    const { wayOut, isTls, trust, connectMs = 10_000, signal: stop } = this.#options
    const limit = AbortSignal.timeout(connectMs)
    const signal = stop === undefined ? limit : AbortSignal.any([stop, limit])
    const { host } = destination
    const { proxy, lookup } = await wayOut.choose({ ...destination, isTls }, { signal })
    const socket =
      proxy === undefined
        ? connectTcp({
            ...destination,
            noDelay: true,
            autoSelectFamily: true,
            ...(lookup === undefined ? {} : { lookup }),
          })
        : await openTunnel(proxy, destination, { trust, signal })
    if (proxy === undefined) await untilOpen(socket, 'connect', signal)
    if (!isTls) return socket
    const tls = connectTls({
      socket,
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: true,
      ...(trust === undefined ? {} : { secureContext: trust() }),
    })
    await untilOpen(tls, 'secureConnect', signal)
    return tls
  }
}

/** Waits until a socket is open. One that does not open is destroyed. */
function untilOpen(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => signal.removeEventListener('abort', onAbort)
    const fail = (error: unknown): void => {
      leave()
      socket.destroy()
      reject(error)
    }
    const onAbort = (): void => fail(signal.reason)
    // Stays: without a listener an error after the wait would end the process.
    socket.on('error', fail)
    socket.once('close', () => fail(upstreamFailed('connection_lost')))
    socket.once(event, () => {
      leave()
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}
