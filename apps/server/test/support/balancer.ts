import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '@svc/test-kit'

/** An address that leads each connection to one of several servers of this machine. */
export interface Balancer extends AsyncDisposable {
  readonly url: string
  /** Sends a server no more connections; those that are open go on. */
  leave(port: number): void
  join(port: number): void
  /** Number of open connections of a server. */
  open(port: number): number
}

/** Starts a balancer. A connection that a server does not take goes to the next one. */
export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const joined = new Set(ports)
  const sockets = new Map<Socket, number>()
  let turn = 0
  const server = createServer((client) => {
    turn += 1
    client.on('error', () => client.destroy())
    const targets = [...joined]
    pass(
      client,
      targets.map((_, index) => targets[(turn + index) % targets.length] ?? 0),
    )
  })
  function pass(client: Socket, [target, ...others]: readonly number[]): void {
    if (target === undefined || client.destroyed) {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    const next = (): void => pass(client, others)
    upstream.once('error', next)
    upstream.once('connect', () => {
      upstream.off('error', next).on('error', () => client.destroy())
      sockets.set(upstream, target)
      client.once('close', () => upstream.destroy())
      upstream.once('close', () => {
        sockets.delete(upstream)
        client.destroy()
      })
      client.pipe(upstream).pipe(client)
    })
  }
  const port = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}`,
    leave: (target) => void joined.delete(target),
    join: (target) => void joined.add(target),
    open: (target) => [...sockets.values()].filter((each) => each === target).length,
    async [Symbol.asyncDispose]() {
      for (const upstream of sockets.keys()) upstream.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
