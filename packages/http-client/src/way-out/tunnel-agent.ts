import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { ForwardProxy } from './forward-proxy.ts'
import { openTunnel } from './tunnel.ts'

/** Options of {@link TunnelAgent}. */
export interface TunnelAgentOptions extends AgentOptions {
  readonly proxy: ForwardProxy
  /** Whether TLS is spoken with the destination. */
  readonly isTls: boolean
  /** Authorities that proxy and destination are verified with. @default those of Node */
  readonly trust?: (() => SecureContext) | undefined
  /** For the tunnel alone. @default 10000 */
  readonly connectMs?: number | undefined
}

/** Connections of `node:http` through a proxy. */
export class TunnelAgent extends Agent {
  readonly #options: TunnelAgentOptions

  constructor({ proxy, isTls, trust, connectMs, ...options }: TunnelAgentOptions) {
    super(options)
    this.#options = { proxy, isTls, trust, connectMs }
    // Requests over TLS check that their agent speaks it.
    if (isTls) Object.assign(this, { protocol: 'https:', defaultPort: 443 })
  }

  /** Called by the agent. */
  override createConnection(
    { host, hostname, port }: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { proxy, isTls, trust, connectMs = 10_000 } = this.#options
    const name = host ?? hostname ?? ''
    openTunnel(proxy, { host: name, port: Number(port) }, { trust, signal: AbortSignal.timeout(connectMs) }).then(
      (socket) => {
        if (!isTls) {
          callback(null, socket)
          socket.resume()
          return
        }
        const servername = isIP(name) === 0 ? name : ''
        const secureContext = trust === undefined ? {} : { secureContext: trust() }
        callback(null, connectTls({ socket, servername, rejectUnauthorized: true, ...secureContext }))
      },
      // The declared type wants a socket with an error too; the agent does not look at it.
      (error) => Reflect.apply(callback, undefined, [error]),
    )
  }
}
