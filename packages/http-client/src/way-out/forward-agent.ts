import { Agent, type AgentOptions, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Destination } from './no-proxy.ts'
import { connectToProxy } from './tunnel.ts'
import type { Way, WayOut } from './way-out.ts'

/** Options of {@link ForwardAgent}. */
export interface ForwardAgentOptions extends AgentOptions {
  readonly wayOut: WayOut
  /** The destination of all requests. */
  readonly destination: Destination
  /** Authorities that verify a proxy over TLS. @default the authorities of Node */
  readonly trust?: (() => SecureContext) | undefined
}

/**
 * Connections of `node:http` without TLS to one destination. Requests ask a proxy for the whole URL: many proxies give
 * tunnels only to the port 443.
 */
export class ForwardAgent extends Agent {
  readonly #options: Pick<ForwardAgentOptions, 'wayOut' | 'destination' | 'trust'>
  #way: Way = { proxy: undefined }

  constructor({ wayOut, destination, trust, ...options }: ForwardAgentOptions) {
    super(options)
    this.#options = { wayOut, destination, trust }
  }

  /** Finds the way of the requests that follow. To be called before each of them. @throws the signal's reason */
  async findWay({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { wayOut, destination } = this.#options
    this.#way = await wayOut.choose({ ...destination, isTls: false }, { signal })
  }

  /** Called by a request before it writes its head. The declared type of agents lacks it. */
  addRequest(request: ClientRequest, ...rest: readonly unknown[]): void {
    const { proxy } = this.#way
    if (proxy !== undefined) {
      request.path = `http://${String(request.getHeader('host'))}${request.path}`
      if (proxy.authorization !== undefined) request.setHeader('proxy-authorization', proxy.authorization)
    }
    Reflect.apply(ADD_REQUEST, this, [request, ...rest])
  }

  /** Called by the agent: an idle connection is used again only for requests of the same way. */
  override getName(options?: Parameters<Agent['getName']>[0]): string {
    const { proxy } = this.#way
    const way = proxy === undefined ? [] : [proxy.isTls, proxy.host, proxy.port, proxy.authorization]
    return [super.getName(options), ...way].join(' ')
  }

  /** Called by the agent. */
  override createConnection({ host, hostname, port }: ClientRequestArgs): Socket {
    const { proxy, lookup } = this.#way
    if (proxy !== undefined) return connectToProxy(proxy, this.#options)
    const own = lookup === undefined ? {} : { lookup }
    return connectTcp({
      host: host ?? hostname ?? '',
      port: Number(port),
      noDelay: true,
      autoSelectFamily: true,
      ...own,
    })
  }
}

const ADD_REQUEST = Reflect.get(Agent.prototype, 'addRequest') as (...given: readonly unknown[]) => void
