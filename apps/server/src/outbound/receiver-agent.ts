import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { rootCertificates } from 'node:tls'

const SETTINGS = { keepAlive: true, maxSockets: 2 }

/** Creates the connections to a receiver that an operator has named. @param ca additional certificate authorities, PEM */
export function createReceiverAgent(url: string, ca: string | undefined): HttpAgent | HttpsAgent {
  if (!url.startsWith('https:')) return new HttpAgent(SETTINGS)
  return new HttpsAgent({ ...SETTINGS, ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }) })
}
