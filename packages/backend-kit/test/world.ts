import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BackendClient, createBackendClient } from '@svc/backend-client'
import { type ListenOptions, listenBackend, type RunningBackend } from '../src/index.ts'

/** A backend and a client of it, closed together. */
export interface World extends AsyncDisposable {
  readonly backend: RunningBackend
  readonly client: BackendClient
}

/** Serves handlers in this process and connects to them. What nobody foresaw fails the test. */
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
  void Promise.reject(new Error(`${path} threw what nobody foresaw`, { cause: thrown }))
}

/** A folder that is gone afterwards, with a short name: the path of a socket has to fit. */
export function makeFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'svc-kit-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A promise and its handle. */
export function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
