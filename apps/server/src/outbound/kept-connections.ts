import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { readPort, type Target } from './target.ts'

/** Connections to one server that further requests use again. */
export interface KeptConnections {
  /**
   * Gives the agent of a target. Its connections lead to the addresses that were checked for this request: those to
   * others are not used again.
   *
   * @returns undefined once they are closed
   */
  agentFor(target: Target): HttpAgent | undefined
  /** Closes the unused connections. Those in use close with their replies. */
  close(): void
}

/** Time that an unused connection is kept, milliseconds: shorter than servers keep it, which may be two seconds. */
const UNUSED_MS = 1500
/** Most unused connections. */
const MAX_UNUSED = 4

/** Creates the connections of one session. */
export function createKeptConnections(): KeptConnections {
  let known: { readonly key: string; readonly agent: HttpAgent } | undefined
  let isClosed = false
  return {
    agentFor(target) {
      if (isClosed) return undefined
      const key = toKey(target)
      if (known?.key === key) return known.agent
      if (known !== undefined) retire(known.agent)
      known = { key, agent: createAgent(target) }
      return known.agent
    },
    close() {
      isClosed = true
      if (known !== undefined) retire(known.agent)
    },
  }
}

function toKey({ url, host, addresses }: Target): string {
  return JSON.stringify([url.protocol, host, readPort(url), addresses.toSorted()])
}

function createAgent({ url }: Target): HttpAgent {
  const options = { keepAlive: true, timeout: UNUSED_MS, maxFreeSockets: MAX_UNUSED }
  return url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
}

/** Keeps no connection of an agent any longer. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}
