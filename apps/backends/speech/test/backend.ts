import { readFileSync } from 'node:fs'
import { ensureSuccess } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { type BackendProcess, startBackendProcess } from '@svc/test-kit'

/** A backend process of its own and a client of it. */
export interface TestBackend extends BackendProcess {
  /** Models folder. */
  readonly models: string
  /** Loads a model of that folder with one thread. @throws BackendError with the backend's message */
  load(model: string, options?: Partial<ModelOptions>): Promise<void>
  /** Its child processes (on Linux). */
  findEngines(): number[]
}

/** Starts the backend from its sources and waits until it is healthy. */
export async function startBackend(): Promise<TestBackend> {
  const backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url))
  const { child, client, dir } = backend
  return {
    ...backend,
    models: dir.path,
    load: async (model, options = {}) => {
      const usual = { Model: model, ModelFile: dir.join(model), ModelPath: dir.path, Threads: 1 }
      ensureSuccess(await client.loadModel({ ...usual, ...options }))
    },
    findEngines: () => {
      const list = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      return list.split(' ').filter(Boolean).map(Number)
    },
  }
}
