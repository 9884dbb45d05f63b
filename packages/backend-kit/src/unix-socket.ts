import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

/** Removes the socket file of a killed process; leaves one that still answers. */
export async function removeStaleSocket(path: string): Promise<void> {
  // After figures of a socket that are not `bigint`, Node loads modules by the path of a link instead of the file
  // behind it (nodejs/node issue 51142).
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat?.isSocket() && !(await answers(path))) removeSocket(path)
}

/** Allows only the user of this process to connect. */
export function makePrivate(path: string): void {
  chmodSync(path, 0o600)
}

/** Removes the socket file, if it is there. */
export function removeSocket(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
