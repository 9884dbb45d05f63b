import type { BackendClient } from '@svc/backend-client'

/** Connections that are kept; those without a request are closed for others. */
const MAX_IDLE = 512

/** The worker of a process. */
export interface WorkerNode {
  /** `host:port` of its file server. */
  readonly httpAddress: string
}

/** A process at a worker. */
export interface WorkerProcessName {
  /** `host:port` */
  readonly address: string
  /** `<model>#<index>`: its weights are below this name in the worker's models folder. */
  readonly processKey: string
}

/** A connection to the process of a replica. */
export interface WorkerClient {
  readonly client: BackendClient
  /** Gives it back. A second call does nothing. */
  release(): void
  /** Gives it back, and lets nobody take it again: it is closed after its last user. */
  discard(): void
}

/** Connections to processes at workers. */
export interface WorkerClients {
  take(process: WorkerProcessName, node: WorkerNode): WorkerClient
  /** Closes all. */
  close(): void
}

interface Entry {
  readonly client: BackendClient
  users: number
  isBroken: boolean
}

/** @param connect makes a client; a connection begins with its first call */
export function createWorkerClients(
  connect: (process: WorkerProcessName, node: WorkerNode) => BackendClient,
): WorkerClients {
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
    take({ address, processKey }, node) {
      // The files of a request go to the file server of the worker, which may change while the address stays.
      const key = `${address} ${node.httpAddress} ${processKey}`
      const entry = entries.get(key) ?? { client: connect({ address, processKey }, node), users: 0, isBroken: false }
      // The last one is the one that was used last.
      entries.delete(key)
      entries.set(key, entry)
      entry.users += 1
      let isOver = false
      function release(): void {
        if (isOver) return
        isOver = true
        entry.users -= 1
        if (entry.isBroken && entry.users === 0) entry.client.close()
        closeIdle()
      }
      return {
        client: entry.client,
        release,
        discard() {
          if (entries.get(key) === entry) entries.delete(key)
          entry.isBroken = true
          release()
        },
      }
    },
    close() {
      for (const { client } of entries.values()) client.close()
      entries.clear()
    },
  }
}
