import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MockScript, mockOptions, readRecords, writeMockLauncher } from '@svc/backend-mock/script'
import { createBackendCatalog } from '../../backends/catalog.ts'
import { createProcessRecord } from '../../backends/process-record.ts'
import { createSupervisor } from '../../backends/supervisor.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { systemClock } from '../../clock.ts'
import { createLoadCooldown } from '../../residency/cooldown.ts'
import { createResidency, type Residency } from '../../residency/residency.ts'

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** A place with real backend processes of the mock. */
export interface MockPlace {
  readonly residency: Residency
  close(): Promise<void>
}

/** Opens a place in a folder. */
export async function openMockPlace(folder: string, place?: string): Promise<MockPlace> {
  const { args } = writeMockLauncher({ folder })
  // A built-in backend listens on a socket, which another process of this user can call.
  const mock = { entry: args.at(-1) ?? '', execArgv: args.slice(0, -1) }
  const supervisor = createSupervisor({
    environment: { PATH: process.env.PATH },
    modelsPath: folder,
    socketParent: folder,
    record: createProcessRecord({ file: join(folder, 'backends.json'), writeFile, logger }),
    clock: systemClock,
    logger,
  })
  const residency = createResidency({
    place,
    catalog: await createBackendCatalog({ folders: [], builtIn: { mock }, external: {}, logger }),
    supervisor,
    toLoadRequest: (model) => ({ Model: model.name, Options: [...model.options] }),
    cooldown: createLoadCooldown({ firstMs: 1, clock: systemClock }),
    modelLoadWaitMs: 60_000,
    clock: systemClock,
    logger,
  })
  return {
    residency,
    async close() {
      await residency.close({ graceMs: 5000 })
      await supervisor.close({ graceMs: 5000 })
    },
  }
}

/** A model of the mock that runs a script and records its calls in the folder of its place. */
export function createPlacedModel(folder: string, script: MockScript = {}): ModelConfig {
  return createModel({ options: mockOptions({ record: join(folder, 'calls'), ...script }) })
}

/** Counts the calls of LoadModel in a place. */
export function countLoads(folder: string): number {
  return readRecords(join(folder, 'calls')).filter(({ event, rpc }) => event === 'start' && rpc === 'LoadModel').length
}
