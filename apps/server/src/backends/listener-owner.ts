import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readProcessTable } from './process-table.ts'

const LISTENING = '0A'

/** The owner of a port's listeners: the given process or its family, another process as well or instead, or unknown. */
export type ListenerOwner = 'ours' | 'other' | 'unknown'

/**
 * Checks whether every listener on a local TCP port belongs to a process or its family.
 *
 * A backend gets a port that was free a moment ago. Another process may have taken it or, on systems with shared ports,
 * listen beside it. That process must not get prompts only because it passes the health check. An unreadable process, a
 * port without a listener, and systems without `/proc` give `unknown`.
 */
export async function findListenerOwner(port: number, pid: number, root = '/proc'): Promise<ListenerOwner> {
  const listening = await readListeningSockets(port, root)
  if (listening.size === 0) return 'unknown'
  // most backends listen themselves: the table of all processes is read for the others alone
  if ((await takeSockets(pid, listening, root)) && listening.size === 0) return 'ours'
  const family = (await readProcessTable(root))?.family(pid) ?? []
  for (const member of family) {
    if (!(await takeSockets(member.pid, listening, root))) return 'unknown'
    if (listening.size === 0) return 'ours'
  }
  return family.length === 0 ? 'unknown' : 'other'
}

/** Removes the sockets of a process. @returns false for a process that cannot be read */
async function takeSockets(pid: number, sockets: Set<string>, root: string): Promise<boolean> {
  const inodes = await readSocketInodes(pid, root)
  for (const inode of inodes ?? []) sockets.delete(inode)
  return inodes !== undefined
}

async function readListeningSockets(port: number, root: string): Promise<Set<string>> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes = new Set<string>()
  for (const name of ['tcp', 'tcp6']) {
    const text = await readFile(join(root, 'net', name), 'latin1').catch(() => '')
    // The text has a line for each connection of the machine: only those with the port are taken apart.
    for (let at = text.indexOf(`${wanted} `); at !== -1; at = text.indexOf(`${wanted} `, at + 1)) {
      const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at))
      const [, local, , state, , , , , , inode] = line.trim().split(/ +/)
      if (state === LISTENING && inode !== undefined && local?.endsWith(wanted)) inodes.add(inode)
    }
  }
  return inodes
}

async function readSocketInodes(pid: number, root: string): Promise<string[] | undefined> {
  const folder = join(root, String(pid), 'fd')
  const names = await readdir(folder).catch(() => undefined)
  const inodes: string[] = []
  for (const name of names ?? []) {
    const target = await readlink(join(folder, name)).catch(() => '')
    if (target.startsWith('socket:[')) inodes.push(target.slice('socket:['.length, -1))
  }
  return names && inodes
}
