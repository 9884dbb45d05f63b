import { createSocket } from 'node:dgram'
import { SvcError } from '@svc/errors'
import type { MediaLibrary } from './library.ts'

/** The one UDP port of all calls, held while the server runs. */
export interface UdpPort {
  release(): void
}

/**
 * Takes the port for all calls.
 *
 * @throws {SvcError} `unavailable` with the code `udp_port_taken`
 */
export async function holdUdpPort(library: MediaLibrary, port: number): Promise<UdpPort> {
  await checkUdpPort(port)
  try {
    const listener = new library.IceUdpMuxListener(port)
    return { release: () => listener.stop() }
  } catch (cause) {
    throw taken(port, cause)
  }
}

/**
 * Makes sure that a socket can be opened: the library ends the process where it cannot open one.
 *
 * @param port 0 for any
 * @throws {SvcError} `unavailable` with the code `udp_port_taken`
 */
export async function checkUdpPort(port: number): Promise<void> {
  try {
    await tryOpen('udp6', port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A machine without IPv6.
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw taken(port, error)
    await tryOpen('udp4', port).catch((cause: unknown) => {
      throw taken(port, cause)
    })
  }
}

function tryOpen(type: 'udp4' | 'udp6', port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(type)
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind({ port, exclusive: true }, () => socket.close(resolve))
  })
}

function taken(port: number, cause: unknown): SvcError {
  const what = port === 0 ? 'no UDP port is free' : `the UDP port ${port} of calls is in use`
  return new SvcError('unavailable', what, { code: 'udp_port_taken', cause })
}
