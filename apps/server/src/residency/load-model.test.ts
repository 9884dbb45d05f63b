import { mkdir, rename } from 'node:fs/promises'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { type BackendProgram, createBackendCatalog } from '../backends/catalog.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import { createScriptedSupervisor } from './__fixtures__/scripted-supervisor.ts'
import { createModelLoader } from './load-model.ts'

const { signal } = new AbortController()

/** A loader, and a backend in a folder that can be replaced. */
async function openWorld() {
  const dir = await tempDir()
  const [cwd, next] = [dir.join('engine'), dir.join('next')]
  await mkdir(cwd)
  await mkdir(next)
  const clock = createFakeClock()
  const supervisor = createScriptedSupervisor(clock)
  const catalog = await createBackendCatalog({ folders: [], builtIn: {}, external: {}, logger: silentLogger })
  const program: BackendProgram = { kind: 'spawn', name: 'engine', command: '/x', args: [], cwd, transport: 'tcp' }
  const loader = createModelLoader({ catalog, supervisor, toLoadRequest: () => ({}), clock })
  return {
    supervisor,
    load: () => loader.load(createModel(), { programs: [program], signal }),
    async replaceFolder() {
      await rename(cwd, dir.join('old'))
      await rename(next, cwd)
    },
    [Symbol.asyncDispose]: dir.close,
  }
}

describe('a load that fails', () => {
  it('is tried again where the folder of its backend was replaced meanwhile', async () => {
    await using world = await openWorld()
    let starts = 0
    world.supervisor.script.onStart = async () => {
      starts += 1
      if (starts > 1) return
      await world.replaceFolder()
      throw new Error('Cannot find module')
    }
    await expect(world.load()).resolves.toBeDefined()
    expect(starts).toBe(2)
  })

  it('is tried once where the folder is the same', async () => {
    await using world = await openWorld()
    let starts = 0
    world.supervisor.script.onStart = async () => {
      starts += 1
      throw new Error('Cannot find module')
    }
    await expect(world.load()).rejects.toThrow('could not load model')
    expect(starts).toBe(1)
  })
})
