import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mockOptions } from '@svc/backend-mock/script'
import { chatGguf, type FileOrigin, type FileOriginOptions, startFileOrigin } from '@svc/test-kit'
import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** A server with one gallery, and the origin of its index and files, which is also its model hub. */
export interface GalleryWorld extends AsyncDisposable {
  readonly server: TestServer
  readonly origin: FileOrigin
  /** Replaces the index of the gallery `test`. */
  setIndex(entries: readonly Readonly<Record<string, unknown>>[]): void
  /** The job, once it has ended. */
  finished(uuid: string): Promise<Record<string, unknown>>
  /** Installs by `/models/apply` and waits for the end. */
  apply(body: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>
  operations(): Promise<readonly Record<string, unknown>[]>
  history(): Promise<readonly Record<string, unknown>[]>
}

/** Weights of a tiny chat model. */
export const WEIGHTS = chatGguf()

/** The SHA-256 of bytes in hexadecimal digits. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A model that the mock answers, with one file from the hub. */
export function mockEntry(name: string, file = `${name}.bin`, content: Uint8Array = WEIGHTS): Record<string, unknown> {
  return {
    name,
    description: `the model ${name}`,
    license: 'mit',
    urls: ['https://example.com'],
    icon: '',
    tags: ['llm', 'test'],
    files: [{ filename: file, uri: `huggingface://owner/repo/${file}`, sha256: sha256(content) }],
    overrides: {
      backend: 'mock',
      known_usecases: ['chat'],
      template: { use_tokenizer_template: true },
      parameters: { model: file },
      options: mockOptions({ rules: [{ rpc: 'Predict*', do: { text: `I am ${name}` } }] }),
    },
  }
}

/** The path at the origin of a file of the hub. */
export function hubPath(file: string): string {
  return `/owner/repo/resolve/main/${file}`
}

/** The folder in which files of a model wait for their places. Its name ends with the writer. */
export async function findStaging(modelsPath: string, model: string): Promise<string> {
  const parent = join(modelsPath, '.staging')
  const found = (await readdir(parent)).find((name) => name.startsWith(`${model}.`))
  if (found === undefined) throw new Error(`nothing is staged for ${model}`)
  return join(parent, found)
}

/** Waits until a job of a gallery has ended. @param path such as `/models/jobs/ID` @returns the job */
export async function finishJob(server: TestServer, path: string): Promise<Record<string, unknown>> {
  for (;;) {
    const job = (await server.call(path)).json() as Record<string, unknown>
    if (job.processed !== false) return job
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Starts the origin and a server that knows its gallery. */
export async function startGalleryWorld(
  options: TestServerOptions & Partial<FileOriginOptions> = {},
): Promise<GalleryWorld> {
  const { hasConditions, handle, files } = options
  const origin = await startFileOrigin({ hasConditions, handle, files: { '/index.yaml': Buffer.from('[]'), ...files } })
  const galleries = JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])
  const server = await startTestServer({
    ...options,
    flags: [`--galleries=${galleries}`, '--autoload-galleries=false', ...(options.flags ?? [])],
    env: { HF_ENDPOINT: origin.origin, CODEHOST_RAW_URL: origin.origin, ...options.env },
  })
  const list = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    ((await server.call(path)).json() as { operations: Record<string, unknown>[] }).operations
  const finished = (uuid: string): Promise<Record<string, unknown>> => finishJob(server, `/models/jobs/${uuid}`)
  return {
    server,
    origin,
    finished,
    setIndex: (entries) => void origin.files.set('/index.yaml', { content: Buffer.from(stringify(entries)) }),
    async apply(body) {
      const reply = await server.post('/models/apply', body)
      const { uuid } = reply.json() as { uuid?: string }
      if (uuid === undefined) throw new Error(`${reply.status} ${reply.text}`)
      return finished(uuid)
    },
    operations: () => list('/api/operations'),
    history: () => list('/api/operations/history'),
    async [Symbol.asyncDispose]() {
      await server.close()
      await origin.close()
    },
  }
}
