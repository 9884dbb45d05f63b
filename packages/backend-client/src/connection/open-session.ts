import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectSocket, type Socket } from 'node:net'
import type { BackendAddress } from '../address.ts'

/** The time that gRPC gives an attempt to connect. */
const CONNECT_TIMEOUT_MS = 20_000

/** Bytes of one call that may be on their way before its reader takes some. */
const STREAM_WINDOW = 256 * 1024

/** The same for all calls of a connection together. Node gives this window back as bytes arrive, read or not. */
const CONNECTION_WINDOW = 4 * 1024 * 1024

/**
 * Megabytes that Node lets a session hold before it refuses streams; its own default is 10. Room for some hundred
 * messages of 50 MiB: a server that meets this limit is out of memory in any case.
 */
const MAX_SESSION_MEMORY_MB = 8192

/** A session and the socket under it, which the session does not give out. */
export interface OpenedSession {
  readonly session: ClientHttp2Session
  readonly socket: Socket
}

/**
 * Connects and waits for the settings of the other side, so that a server without HTTP/2 is found here and not in a
 * call. The session keeps the process alive.
 */
export function openSession(
  address: BackendAddress,
  { signal }: { readonly signal: AbortSignal },
): Promise<OpenedSession> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(address)
    const session = connectHttp2(`http://${toAuthority(address)}`, {
      createConnection: () => socket,
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    })
    const timer = setTimeout(() => fail(new Error('the backend did not greet in time')), CONNECT_TIMEOUT_MS)
    function fail(error: Error): void {
      settle()
      session.destroy()
      socket.destroy()
      reject(error)
    }
    function succeed(): void {
      settle()
      session.setLocalWindowSize(CONNECTION_WINDOW)
      resolve({ session, socket })
    }
    const onClose = () => fail(new Error('the connection was closed before the backend greeted'))
    const onAbort = () => fail(new Error('nobody waits for the connection any more'))
    function settle(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      session.off('remoteSettings', succeed)
      session.off('close', onClose)
    }
    // This listener stays: the close that follows an error is handled elsewhere.
    session.on('error', fail)
    session.on('close', onClose)
    session.on('remoteSettings', succeed)
    signal.addEventListener('abort', onAbort)
  })
}

function openSocket(address: BackendAddress): Socket {
  if (address.kind === 'unix') return connectSocket({ path: address.path })
  return connectSocket({ host: address.host, port: address.port, noDelay: true })
}

function toAuthority(address: BackendAddress): string {
  if (address.kind === 'unix') return 'localhost'
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}
