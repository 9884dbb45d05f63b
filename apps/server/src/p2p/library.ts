import { SvcError } from '@svc/errors'

/** The packages of the network, which are not installed with the server. */
const PACKAGES = {
  libp2p: '3.3.11',
  '@libp2p/tcp': '11.0.28',
  '@libp2p/identify': '4.1.14',
  '@libp2p/pnet': '3.0.27',
  '@libp2p/mdns': '12.0.32',
  '@multiformats/multiaddr': '13.0.3',
  '@chainsafe/libp2p-noise': '17.0.0',
  '@chainsafe/libp2p-yamux': '8.0.1',
} as const

const COMMAND = `npm install -g ${Object.entries(PACKAGES)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`

/**
 * Loads the packages: those beside the server, or beside the project that it is a part of.
 *
 * @throws {SvcError} `not_implemented` with the code `p2p_missing` and the command that installs them
 */
export async function loadPeerLibrary() {
  provideResolvers()
  try {
    const [libp2p, tcp, identify, pnet, noise, yamux, { multiaddr }] = await Promise.all([
      import('libp2p'),
      import('@libp2p/tcp'),
      import('@libp2p/identify'),
      import('@libp2p/pnet'),
      import('@chainsafe/libp2p-noise'),
      import('@chainsafe/libp2p-yamux'),
      import('@multiformats/multiaddr'),
    ])
    return {
      createLibp2p: libp2p.createLibp2p,
      tcp: tcp.tcp,
      identify: identify.identify,
      noise: noise.noise,
      yamux: yamux.yamux,
      preSharedKey: pnet.preSharedKey,
      multiaddr,
    }
  } catch (cause) {
    throw missing(cause)
  }
}

/** Loads the discovery by multicast. @throws {SvcError} as {@link loadPeerLibrary} */
export async function loadMulticast() {
  try {
    return (await import('@libp2p/mdns')).mdns
  } catch (cause) {
    throw missing(cause)
  }
}

/** The packages, loaded. */
export type PeerLibrary = Awaited<ReturnType<typeof loadPeerLibrary>>

function missing(cause: unknown): SvcError {
  return new SvcError('not_implemented', `the peer-to-peer network needs packages of its own: ${COMMAND}`, {
    code: 'p2p_missing',
    cause,
  })
}

interface Resolvers<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T | PromiseLike<T>) => void
  readonly reject: (reason?: unknown) => void
}

/** Adds `Promise.withResolvers`, which the packages use and Node 20 does not have. */
function provideResolvers(): void {
  const target = Promise as { withResolvers?: <T>() => Resolvers<T> }
  target.withResolvers ??= <T>() => {
    let resolve: Resolvers<T>['resolve'] = () => undefined
    let reject: Resolvers<T>['reject'] = () => undefined
    const promise = new Promise<T>((onValue, onError) => {
      resolve = onValue
      reject = onError
    })
    return { promise, resolve, reject }
  }
}
