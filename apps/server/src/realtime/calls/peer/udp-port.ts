import { createSocket, type Socket } from 'node:dgram'
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

/** Sockets that must be free for a call: more than it needs, because others take some before it does. */
const SPARE_SOCKETS = 16

/**
 * Makes sure that the sockets of a call can be opened: the library ends the process where it cannot open one.
 *
 * @throws {SvcError} `unavailable` with the code `udp_port_taken`
 */
export async function checkSockets(): Promise<void> {
  const opened: Socket[] = []
  try {
    for (let left = SPARE_SOCKETS; left > 0; left--) opened.push(await openUdp(0))
  } catch (cause) {
    throw taken(0, cause)
  } finally {
    await Promise.all(opened.map(closeSocket))
  }
}

/**
 * Makes sure that a port can be taken.
 *
 * @throws {SvcError} `unavailable` with the code `udp_port_taken`
 */
async function checkUdpPort(port: number): Promise<void> {
  try {
    await closeSocket(await openUdp(port))
  } catch (cause) {
    throw taken(port, cause)
  }
}

async function openUdp(port: number): Promise<Socket> {
  try {
    return await openSocket('udp6', port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A machine without IPv6.
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error
    return openSocket('udp4', port)
  }
}

function openSocket(type: 'udp4' | 'udp6', port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(type)
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind({ port, exclusive: true }, () => resolve(socket))
  })
}

function closeSocket(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.close(resolve))
}

function taken(port: number, cause: unknown): SvcError {
  const what = port === 0 ? 'no UDP port is free' : `the UDP port ${port} of calls is in use`
  return new SvcError('unavailable', what, { code: 'udp_port_taken', cause })
}
