// The tests with one fault in one module: the file on disk stays as it is.
import { mergeConfig } from 'vitest/config'
import tests from '../vitest.config.ts'
import { plant } from './mutants.mjs'

const { file, ...mutant } = JSON.parse(process.env.SVC_MUTANT ?? '{}')

const plugin = {
  name: 'mutant',
  enforce: 'pre' as const,
  transform: (source: string, id: string) => (id === file ? { code: plant(source, mutant), map: null } : undefined),
}

export default mergeConfig(tests, { plugins: [plugin] })
