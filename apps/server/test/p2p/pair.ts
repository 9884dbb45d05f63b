import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { systemClock } from '../../src/clock.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { type Network, openNetwork } from '../../src/p2p/network.ts'
import type { FoundService, NetworkOptions, ServicePlace } from '../../src/p2p/options.ts'
import { createKey, readToken } from '../../src/p2p/token.ts'

/** Options of a member in a test: at any port, with quick looks. */
export const QUICK = {
  token: { key: createKey(), peers: [] },
  networkId: 'test',
  listen: { host: '127.0.0.1', port: 0 },
  peers: [],
  mdns: false,
  lookMs: 500,
  passwordMs: 9_000_000,
  announceMs: 200,
  name: 'member',
  offers: {},
  wants: [],
  clock: systemClock,
  logger: silentLogger,
} as const satisfies NetworkOptions

/** Two members in this process: one offers a worker, the other has a port for it. */
export interface Pair {
  readonly near: Network
  readonly far: Network
  readonly worker: FoundService
  /** Opens a connection to the worker, through the tunnel. */
  open(): Socket
  close(): Promise<void>
}

/** Opens a pair. @param offer the place of the worker */
export async function openPair(
  offer: NonNullable<NetworkOptions['offers']['worker']>,
  options: Partial<NetworkOptions> = {},
): Promise<Pair> {
  const far = await openNetwork({ ...QUICK, name: 'far', offers: { worker: offer } })
  const events = new EventEmitter()
  const found = once(events, 'worker')
  const near = await openNetwork({
    ...QUICK,
    name: 'near',
    token: readToken(far.token()),
    wants: ['worker'],
    onService(service) {
      events.emit('worker', service)
      return () => undefined
    },
    ...options,
  })
  const [worker] = (await found) as [FoundService]
  const [host = '', port = ''] = worker.address.split(':')
  return {
    near,
    far,
    worker,
    open: () => connect({ host, port: Number(port), allowHalfOpen: true }).on('error', () => undefined),
    close: async () => void (await Promise.all([near.close(), far.close()])),
  }
}

/** Starts a server at a port of an address of this machine. */
export async function startServer(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  return server
}

/** The place of a server. */
export function placeOf(server: Server): ServicePlace {
  const { address: host, port } = server.address() as AddressInfo
  return { host, port }
}
