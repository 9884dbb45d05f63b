import { once } from 'node:events'
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import { connect, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { createDeferred, createTestCa, listenOnFreePort, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createUpstreamConnections } from './connections.ts'
import type { ReplyHead, UpstreamRequest } from './upstream.ts'

const REQUEST: UpstreamRequest = { method: 'GET', target: '/', authority: 'a.example', headers: [], hasBody: false }
const CA = createTestCa()

/** Connections to a port of this machine. @param sockets takes those that were opened */
function connectTo(port: number, sockets: TLSSocket[]) {
  return createUpstreamConnections(
    { host: 'a.example', port },
    {
      check: async () => {},
      dialTcp: () => Promise.reject(new Error('not used')),
      async dialTls(_target, { protocols }) {
        const options = { ca: CA.cert, servername: 'a.example', ALPNProtocols: [...protocols] }
        const socket = connect({ host: '127.0.0.1', port, ...options })
        await once(socket, 'secureConnect')
        sockets.push(socket)
        return socket
      },
    },
  )
}

/** A host that speaks HTTP/2, and connections to it. */
async function startHost(serve: (stream: ServerHttp2Stream) => void) {
  const server = createSecureServer(CA.issue(['a.example']))
  const seen: string[] = []
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    seen.push(String(headers[':path']))
    serve(stream)
  })
  const { close } = trackSockets(server)
  const port = await listenOnFreePort(server)
  const sockets: TLSSocket[] = []
  const connections = connectTo(port, sockets)
  return {
    seen,
    sockets,
    /** Sends a request, and gives the statuses that come back, or the failure. */
    async ask(isWanted: () => boolean = () => true, headers: readonly string[] = []) {
      const came = createDeferred<readonly unknown[]>()
      const statuses: unknown[] = []
      const listener = {
        information: ({ status }: ReplyHead) => void statuses.push(status),
        reply: ({ status }: ReplyHead, { stream }: { stream: NodeJS.ReadableStream }) => {
          stream.resume()
          came.resolve([...statuses, status])
        },
        fail: () => came.resolve([...statuses, 'failed']),
      }
      const sent = await connections.start({ ...REQUEST, headers }, listener, isWanted)
      sent.stream.on('error', () => {})
      return came.promise
    },
    async [Symbol.asyncDispose]() {
      connections.close()
      await close()
    },
  }
}

const answer = (stream: ServerHttp2Stream): void => {
  stream.respond({ ':status': 200 })
  stream.end()
}

describe('HTTP/2', () => {
  it('gets no request of a client that has left meanwhile', async () => {
    await using host = await startHost(answer)
    await expect(host.ask(() => false)).rejects.toMatchObject({ kind: 'cancelled' })
    expect(await host.ask()).toEqual([200])
    expect(host.seen).toEqual(['/'])
  })

  it.each([100, 101])('takes up to 100 informational replies, and %i come', async (count) => {
    await using host = await startHost((stream) => {
      for (let each = 0; each < count; each += 1) stream.additionalHeaders({ ':status': 103 })
      answer(stream)
    })
    const statuses = await host.ask()
    expect(statuses).toHaveLength(101)
    expect(statuses.at(-1)).toBe(count === 100 ? 200 : 'failed')
  })

  it('is opened anew for a request that meets a connection that has ended', async () => {
    await using host = await startHost(answer)
    let asked = 0
    const end = (): boolean => {
      asked += 1
      // In the same turn: nothing else has noticed the end yet.
      if (asked === 1) host.sockets[0]?.destroy().emit('close', false)
      return true
    }
    expect(await host.ask(end)).toEqual([200])
    expect(host.sockets).toHaveLength(2)
  })

  it('is opened anew once', async () => {
    await using host = await startHost(answer)
    const end = (): boolean => {
      host.sockets.at(-1)?.destroy().emit('close', false)
      return true
    }
    await expect(host.ask(end)).rejects.toThrow()
    expect(host.sockets).toHaveLength(2)
  })

  it('is not opened anew for a head that it cannot express', async () => {
    await using host = await startHost(answer)
    await expect(host.ask(undefined, ['bad name', 'x'])).rejects.toMatchObject({ code: 'invalid_request_head' })
    expect(host.sockets).toHaveLength(1)
  })
})

describe('a handshake of another protocol', () => {
  it.each([
    ['before the answer', () => ''],
    ['in the body of a refusal', () => 'HTTP/1.1 403 No\r\ncontent-length: 9\r\n\r\nhalf'],
  ])('ends with its signal %s', async (_, say) => {
    const asked = createDeferred<TLSSocket>()
    const server = createTlsServer(CA.issue(['a.example']), (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(say())
        asked.resolve(socket)
      })
    })
    const { close } = trackSockets(server)
    const port = await listenOnFreePort(server)
    const connections = connectTo(port, [])
    const leaving = new AbortController()
    const outcome = connections.upgrade(REQUEST, 'websocket', leaving.signal)
    const settled = outcome.then(
      (answer) => (answer.upgraded ? undefined : answer.body.stream.on('error', () => {}).resume()),
      (error: unknown) => error,
    )
    const socket = await asked.promise
    const closed = new Promise((resolve) => socket.once('close', resolve))
    if (say() !== '') await settled
    const reason = new Error('gone')
    leaving.abort(reason)
    await closed
    if (say() === '') expect(await settled).toBe(reason)
    connections.close()
    await close()
  })
})
