import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BackendClient, createBackendClient, ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, Reply } from '@svc/backend-client/proto'
import { tempDir } from '@svc/test-kit'
import { createModel, type ModelRecipe } from './models.ts'

/** A backend process of its own and a client of it. */
export interface TestBackend extends AsyncDisposable {
  readonly client: BackendClient
  readonly child: ChildProcess
  /** What the process has written so far. */
  readonly output: () => string
  /** Folder for model files. */
  readonly folder: string
  /** Writes a model file and returns its path. */
  writeModel(name: string, content: Buffer): Promise<string>
  /** Writes the model of a recipe and loads it; one thread, two slots. */
  load(recipe: ModelRecipe, options?: Partial<ModelOptions>): Promise<void>
  /** Loads a file that exists already. */
  loadFile(file: string, options?: Partial<ModelOptions>): Promise<void>
  /** Ends the process with SIGTERM and gives its exit code. */
  stop(): Promise<number | null>
}

/** The program, as its sources. */
export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** What Node needs to run sources. */
export const FROM_SOURCE = ['--conditions=@svc/source', '--import', 'tsx']

/** Starts the backend from its sources and waits until it is healthy. */
export async function startBackend(): Promise<TestBackend> {
  const dir = await tempDir()
  const address = `unix:${dir.join('socket')}`
  const child = spawn(process.execPath, [...FROM_SOURCE, MAIN, '--addr', address], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk))
  const exited = once(child, 'exit')
  const client = createBackendClient({ address })
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    await exited
    return child.exitCode
  }
  const writeModel = async (name: string, content: Buffer): Promise<string> => {
    const file = dir.join(name)
    await writeFile(file, content)
    return file
  }
  const loadFile = async (file: string, options: Partial<ModelOptions> = {}): Promise<void> => {
    const usual = { Model: 'tiny', ModelFile: file, Threads: 1, MMap: true, Options: ['parallel:2'] }
    ensureSuccess(await client.loadModel({ ...usual, ...options }))
  }
  const dispose = async (): Promise<void> => {
    client.close()
    child.kill('SIGKILL')
    await exited
    await dir.close()
  }
  try {
    await client.waitUntilReady({ signal: AbortSignal.timeout(60_000), exited })
  } catch (error) {
    await dispose()
    throw new Error(`the backend did not start: ${written}`, { cause: error })
  }
  const load = async (recipe: ModelRecipe, options: Partial<ModelOptions> = {}): Promise<void> =>
    loadFile(await writeModel('tiny.gguf', createModel(recipe)), options)
  const output = (): string => written
  return { client, child, output, folder: dir.path, writeModel, load, loadFile, stop, [Symbol.asyncDispose]: dispose }
}

/** All that an asynchronous sequence gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Text of the replies of one answer. */
export function textOf(replies: readonly Reply[]): string {
  return Buffer.concat(replies.map(({ message }) => message)).toString()
}
