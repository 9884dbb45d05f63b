import { setMaxListeners } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { HostAndPort } from '../hosts/host.ts'
import type { Dialer } from './dial.ts'
import { Http1Upstream, upgradeOver } from './h1.ts'
import { isGoingAway, openSession, startOver } from './h2.ts'
import { checkWanted, type UpstreamConnections } from './upstream.ts'

type Opened =
  | { readonly protocol: 'h2'; readonly session: ClientHttp2Session }
  | { readonly protocol: 'http/1.1'; readonly agent: Http1Upstream }

/** Opens connections to a host on demand. The first one shows whether the host speaks HTTP/2. */
export function createUpstreamConnections(target: HostAndPort, dialer: Dialer): UpstreamConnections {
  const ended = new AbortController()
  // One listener for each connection that is being opened.
  setMaxListeners(0, ended.signal)
  let opening: Promise<Opened> | undefined
  let spare: TLSSocket | undefined
  const upgraded = new Set<TLSSocket>()

  async function open(): Promise<Opened> {
    const socket = await dialer.dialTls(target, { protocols: ['h2', 'http/1.1'], signal: ended.signal })
    if (socket.alpnProtocol === 'h2') {
      const session = openSession(socket)
      const forget = (): void => {
        opening = undefined
      }
      session.once('goaway', forget)
      session.once('close', forget)
      return { protocol: 'h2', session }
    }
    spare = socket
    return { protocol: 'http/1.1', agent: new Http1Upstream(dialHttp1) }
  }

  async function dialHttp1(): Promise<TLSSocket> {
    const first = spare
    spare = undefined
    if (first !== undefined && !first.destroyed) return first
    return dialer.dialTls(target, { protocols: ['http/1.1'], signal: ended.signal })
  }

  function connect(): Promise<Opened> {
    if (opening !== undefined) return opening
    const attempt = open()
    opening = attempt
    attempt.catch(() => {
      if (opening === attempt) opening = undefined
    })
    return attempt
  }

  const start: UpstreamConnections['start'] = async (request, listener, isWanted) => {
    for (let attempt = 1; ; attempt += 1) {
      const opened = await connect()
      checkWanted(isWanted)
      if (opened.protocol === 'http/1.1') return opened.agent.start(request, listener, isWanted)
      try {
        return startOver(opened.session, request, listener)
      } catch (error) {
        opening = undefined
        if (!isGoingAway(error) || attempt > 1) throw error
      }
    }
  }
  return {
    start,
    async upgrade(request, protocol, signal) {
      const socket = await dialer.dialTls(target, {
        protocols: ['http/1.1'],
        signal: AbortSignal.any([signal, ended.signal]),
      })
      upgraded.add(socket)
      const leave = (): void => void socket.destroy()
      signal.addEventListener('abort', leave, { once: true })
      socket.once('close', () => {
        upgraded.delete(socket)
        signal.removeEventListener('abort', leave)
      })
      try {
        return await upgradeOver(socket, request, protocol)
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
    },
    close() {
      ended.abort(new Error('the client has gone'))
      spare?.destroy()
      for (const socket of upgraded) socket.destroy()
      const end = (opened: Opened): void => {
        if (opened.protocol === 'h2') opened.session.destroy()
        else opened.agent.destroy()
      }
      void opening?.then(end, () => {})
    },
  }
}
