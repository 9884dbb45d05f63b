import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type BackendClient, createBackendClient, ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, TokenClassifyEntity } from '@svc/backend-client/proto'
import { tempDir } from '@svc/test-kit'

/** A backend process of its own and a client of it. */
export interface TestBackend extends AsyncDisposable {
  readonly client: BackendClient
  readonly child: ChildProcess
  /** What the process has written so far. */
  readonly output: () => string
  /** Models folder. */
  readonly models: string
  /** Loads `models/tiny` with one thread. @throws BackendError with what the backend says */
  load(options?: Partial<ModelOptions>): Promise<void>
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Starts the backend from its sources and waits until it is healthy. */
export async function startBackend(): Promise<TestBackend> {
  const dir = await tempDir()
  const address = `unix:${dir.join('socket')}`
  const child = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', MAIN, '--addr', address], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk))
  const exited = once(child, 'exit')
  const client = createBackendClient({ address })
  await client.waitUntilReady({ signal: AbortSignal.timeout(60_000), exited })
  return {
    client,
    child,
    output: () => written,
    models: dir.path,
    load: async (options = {}) => {
      const usual = { Model: 'tiny', ModelFile: dir.join('tiny'), ModelPath: dir.path, Threads: 1 }
      ensureSuccess(await client.loadModel({ ...usual, ...options }))
    },
    [Symbol.asyncDispose]: async () => {
      client.close()
      child.kill('SIGKILL')
      await exited
      await dir.close()
    },
  }
}

/** What the bytes of a text say at the places of its entities: group and text. */
export function readEntities(text: string, entities: readonly TokenClassifyEntity[]): string[] {
  const bytes = Buffer.from(text)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return entities.map(({ entityGroup, start, end }) => `${entityGroup}:${decoder.decode(bytes.subarray(start, end))}`)
}
