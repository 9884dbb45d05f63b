import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/** Removes the socket file of a killed process; leaves one that still answers. */
export async function removeStaleSocket(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isSocket() && !(await answers(path))) rmSync(path, { force: true })
}

/** Allows only the user of this process to connect. */
export function makePrivate(path: string): void {
  chmodSync(path, 0o600)
}

/** Removes the socket file. */
export function removeSocket(path: string): void {
  rmSync(path, { force: true })
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
