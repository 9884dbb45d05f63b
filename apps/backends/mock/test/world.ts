import { type BackendClient, createBackendClient, ensureSuccess } from '@svc/backend-client'
import { listenBackend } from '@svc/backend-kit'
import { createMock, type MockRecord, type MockScript, mockOptions, readRecords } from '@svc/backend-mock/script'
import { tempDir } from '@svc/test-kit'

/** A loaded mock in this process, called over gRPC. */
export interface MockWorld extends AsyncDisposable {
  readonly client: BackendClient
  /** A folder of its own, removed afterwards. */
  readonly folder: string
  /** The records so far. */
  records(): MockRecord[]
}

/** Starts a mock and loads a model with a script. */
export async function startMock(script: MockScript = {}, options: readonly string[] = []): Promise<MockWorld> {
  const folder = await tempDir('svc-mock-')
  const record = folder.join('record.jsonl')
  const backend = await listenBackend({ ...createMock(), address: '127.0.0.1:0' })
  const client = createBackendClient({ address: backend.address })
  ensureSuccess(
    await client.loadModel({
      Model: 'm',
      ModelFile: '/models/m',
      EnableScore: true,
      Options: [...mockOptions({ record, ...script }), ...options],
    }),
  )
  return {
    client,
    folder: folder.path,
    records: () => readRecords(record),
    async [Symbol.asyncDispose]() {
      client.close()
      await backend.close({ graceMs: 0 })
      await folder.close()
    },
  }
}

/** Collects all items of a stream. */
export async function collect<T>(replies: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const reply of replies) all.push(reply)
  return all
}
