// The tests with one fault in one module: the file on disk stays as it is. `mutate-runner.mjs` names the fault.
import { relative } from 'node:path'
import { mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import tests from '../vitest.config.ts'
import { plant } from './mutants.mjs'

const readMutant = () => JSON.parse(process.env.SVC_MUTANT ?? '{}')

const plugin = {
  name: 'mutant',
  enforce: 'pre' as const,
  transform(source: string, id: string) {
    const { file, ...mutant } = readMutant()
    return id === file ? { code: plant(source, mutant), map: null } : undefined
  },
}

/** Starts with the tests beside the fault: these notice most faults, and the first failure ends the run. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { file = '' } = readMutant()
    const steps = ({ moduleId }: TestSpecification) => {
      const isOfModule = moduleId.replace(/\.test(?=\.tsx?$)/, '') === file
      return isOfModule ? 0 : relative(file, moduleId).split('/').length
    }
    return (await super.sort(files)).sort((a, b) => steps(a) - steps(b))
  }
}

const quickly = {
  sequence: { sequencer: NearestFirst },
  // A fault can make a test wait for ever; 300 s for each is too long here.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The cache of transformed modules does not see the plugin: tests would get the module without the fault.
  experimental: { fsModuleCache: false },
}

export default mergeConfig(tests, { plugins: [plugin], test: quickly })
