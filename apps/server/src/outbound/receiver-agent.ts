import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { rootCertificates } from 'node:tls'
import { createTrust, TunnelAgent, toDestination, type WayOut } from '@svc/http-client'

const SETTINGS = { keepAlive: true, maxSockets: 2 }

/** Creates the connections to a receiver that an operator has named. @param ca additional certificate authorities, PEM */
export function createReceiverAgent(
  url: string,
  { ca, wayOut }: { readonly ca: string | undefined; readonly wayOut: WayOut },
): HttpAgent | HttpsAgent {
  const destination = toDestination(new URL(url))
  const authorities = ca === undefined ? undefined : [...rootCertificates, ca]
  if (wayOut.find(destination) !== undefined) {
    return new TunnelAgent({ ...SETTINGS, wayOut, isTls: destination.isTls, trust: createTrust(authorities) })
  }
  if (!destination.isTls) return new HttpAgent(SETTINGS)
  return new HttpsAgent({ ...SETTINGS, ...(authorities === undefined ? {} : { ca: authorities }) })
}
