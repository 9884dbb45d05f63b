import { ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, TokenClassifyEntity } from '@svc/backend-client/proto'
import { type BackendProcess, startBackendProcess } from '@svc/test-kit'

/** A backend process of its own and a client of it. */
export interface TestBackend extends BackendProcess {
  /** Models folder. */
  readonly models: string
  /** Loads `models/tiny` with one thread. @throws BackendError with the backend's message */
  load(options?: Partial<ModelOptions>): Promise<void>
}

/** Starts the backend from its sources and waits until it is healthy. */
export async function startBackend(): Promise<TestBackend> {
  const backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url))
  const { client, dir } = backend
  return {
    ...backend,
    models: dir.path,
    load: async (options = {}) => {
      const usual = { Model: 'tiny', ModelFile: dir.join('tiny'), ModelPath: dir.path, Threads: 1 }
      ensureSuccess(await client.loadModel({ ...usual, ...options }))
    },
  }
}

/** Reads group and text of entities from the bytes of a text. */
export function readEntities(text: string, entities: readonly TokenClassifyEntity[]): string[] {
  const bytes = Buffer.from(text)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return entities.map(({ entityGroup, start, end }) => `${entityGroup}:${decoder.decode(bytes.subarray(start, end))}`)
}
