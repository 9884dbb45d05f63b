import { writeFile } from 'node:fs/promises'
import { ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, Reply } from '@svc/backend-client/proto'
import { type BackendProcess, startBackendProcess } from '@svc/test-kit'
import { createModel, type ModelRecipe } from './models.ts'

/** A backend process of its own and a client of it. */
export interface TestBackend extends BackendProcess {
  /** Writes a model file and returns its path. */
  writeModel(name: string, content: Buffer): Promise<string>
  /** Writes the model of a recipe and loads it; one thread, two slots. */
  load(recipe: ModelRecipe, options?: Partial<ModelOptions>): Promise<void>
  /** Loads a file that exists already. */
  loadFile(file: string, options?: Partial<ModelOptions>): Promise<void>
}

/** The program, as its sources. */
export const MAIN = new URL('../src/main.ts', import.meta.url)

/** Starts the backend from its sources and waits until it is healthy. */
export async function startBackend(): Promise<TestBackend> {
  const backend = await startBackendProcess(MAIN)
  const { client, dir } = backend
  const writeModel = async (name: string, content: Buffer): Promise<string> => {
    const file = dir.join(name)
    await writeFile(file, content)
    return file
  }
  const loadFile = async (file: string, options: Partial<ModelOptions> = {}): Promise<void> => {
    const usual = { Model: 'tiny', ModelFile: file, Threads: 1, MMap: true, Options: ['parallel:2'] }
    ensureSuccess(await client.loadModel({ ...usual, ...options }))
  }
  const load = async (recipe: ModelRecipe, options: Partial<ModelOptions> = {}): Promise<void> =>
    loadFile(await writeModel('tiny.gguf', createModel(recipe)), options)
  return { ...backend, writeModel, load, loadFile }
}

/** Collects all items of an asynchronous sequence. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** The text of the replies of one answer. */
export function joinText(replies: readonly Reply[]): string {
  return Buffer.concat(replies.map(({ message }) => message)).toString()
}
