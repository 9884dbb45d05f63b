import { type BackendClient, createBackendClient } from '@svc/backend-client'
import { type ErrorKind, SvcError } from '@svc/errors'
import type { ProbeReplica } from './replica-watch.ts'

/** Longest wait for an answer, milliseconds. */
const ANSWER_MS = 2000
/** Connections that are kept; the longest unused one is closed for another. */
const MAX_CLIENTS = 512

/** Refusals that a process gives by itself: it is there. */
const ANSWERS: readonly ErrorKind[] = ['not_implemented', 'unauthenticated', 'forbidden']

/** Asks processes for their health over gRPC, on connections that are kept. */
export interface GrpcProbe {
  readonly probe: ProbeReplica
  /** Closes all connections. */
  close(): void
}

/** @param options.token is sent with every call */
export function createGrpcProbe({ token }: { readonly token: string | undefined }): GrpcProbe {
  const clients = new Map<string, BackendClient>()
  function clientFor(address: string): BackendClient {
    const client = clients.get(address) ?? createBackendClient({ address, token })
    // The order of the map is that of use.
    clients.delete(address)
    clients.set(address, client)
    for (const [oldest, { close }] of clients) {
      if (clients.size <= MAX_CLIENTS) break
      close()
      clients.delete(oldest)
    }
    return client
  }
  return {
    async probe({ address }, signal) {
      try {
        await clientFor(address).health({ signal, timeoutMs: ANSWER_MS })
        return true
      } catch (error) {
        if (SvcError.is(error) && ANSWERS.includes(error.kind)) return true
        // A connection to a process that has ended may hang.
        clients.get(address)?.close()
        clients.delete(address)
        return false
      }
    },
    close() {
      for (const client of clients.values()) client.close()
      clients.clear()
    },
  }
}
