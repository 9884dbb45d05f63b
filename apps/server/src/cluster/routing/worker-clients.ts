import type { BackendClient } from '@svc/backend-client'

/** Connections without a request that are kept. */
const MAX_IDLE = 256

/** The worker of a process. */
export interface WorkerNode {
  /** `host:port` of its file server. */
  readonly httpAddress: string
}

/** A connection to the process of a replica. */
export interface WorkerClient {
  readonly client: BackendClient
  /** Gives it back. A second call does nothing. */
  release(): void
}

/** Connections to processes at workers, by their addresses and those of the file servers. */
export interface WorkerClients {
  take(address: string, node: WorkerNode): WorkerClient
  /** Closes all. */
  close(): void
}

interface Entry {
  readonly client: BackendClient
  users: number
}

/** @param connect makes a client; a connection begins with its first call */
export function createWorkerClients(connect: (address: string, node: WorkerNode) => BackendClient): WorkerClients {
  const entries = new Map<string, Entry>()

  function closeIdle(): void {
    if (entries.size <= MAX_IDLE) return
    for (const [key, { client, users }] of entries) {
      if (users > 0) continue
      entries.delete(key)
      client.close()
      if (entries.size <= MAX_IDLE) return
    }
  }
  return {
    take(address, node) {
      // A worker that starts again may have another file server, and the same address of a process.
      const key = `${address} ${node.httpAddress}`
      const entry = entries.get(key) ?? { client: connect(address, node), users: 0 }
      // The last one is the one that was used last.
      entries.delete(key)
      entries.set(key, entry)
      entry.users += 1
      let isOver = false
      return {
        client: entry.client,
        release() {
          if (isOver) return
          isOver = true
          entry.users -= 1
          closeIdle()
        },
      }
    },
    close() {
      for (const { client } of entries.values()) client.close()
      entries.clear()
    },
  }
}
