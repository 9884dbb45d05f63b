import { type BackendClient, createBackendClient } from '@svc/backend-client'
import { type ListenOptions, listenBackend, type RunningBackend } from '../src/index.ts'

/** A backend and a client of it, closed together. */
export interface World extends AsyncDisposable {
  readonly backend: RunningBackend
  readonly client: BackendClient
}

/** Serves handlers in this process and connects to them. An unexpected error fails the test. */
export async function startWorld(options: Partial<ListenOptions>): Promise<World> {
  const backend = await listenBackend({ address: '127.0.0.1:0', handlers: {}, report: failTest, ...options })
  const client = createBackendClient({ address: backend.address, token: options.token })
  return {
    backend,
    client,
    async [Symbol.asyncDispose]() {
      client.close()
      await backend.close({ graceMs: 0 })
    },
  }
}

function failTest(path: string, thrown: unknown): void {
  // An unhandled rejection fails the run and names the cause.
  void Promise.reject(new Error(`${path} threw an unexpected error`, { cause: thrown }))
}
