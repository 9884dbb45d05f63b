import type { Agent } from 'node:http'
import { rootCertificates } from 'node:tls'
import { createTrust, ForwardAgent, TunnelAgent, toDestination, type WayOut } from '@svc/http-client'

const SETTINGS = { keepAlive: true, maxSockets: 2 }

/** Connections to a receiver that an operator has named. */
export interface ReceiverConnections {
  readonly agent: Agent
  /** Finds the way. Called before each request: settings of proxies may have changed. @throws the signal's reason */
  findWay(options: { readonly signal: AbortSignal }): Promise<void>
}

/** Creates the connections to a receiver. @param ca additional certificate authorities, PEM */
export function openReceiverConnections(
  url: string,
  { ca, wayOut }: { readonly ca: string | undefined; readonly wayOut: WayOut },
): ReceiverConnections {
  const destination = toDestination(new URL(url))
  const trust = createTrust(ca === undefined ? undefined : [...rootCertificates, ca])
  if (destination.isTls) {
    // A tunnel finds its way itself.
    return { agent: new TunnelAgent({ ...SETTINGS, wayOut, isTls: true, trust }), findWay: () => Promise.resolve() }
  }
  const agent = new ForwardAgent({ ...SETTINGS, wayOut, destination, trust })
  return { agent, findWay: (options) => agent.findWay(options) }
}
