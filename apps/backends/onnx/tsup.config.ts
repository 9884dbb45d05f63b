import { defineConfig } from 'tsup'
import { base } from '../../../tsup.base.ts'

export default defineConfig({
  // The second one is the program of the processes in which graphs run.
  ...base({ main: 'src/main.ts', 'graph-process': 'src/engine/graph-process.mjs' }),
  // An optional dependency, which would be bundled otherwise.
  external: ['onnxruntime-node'],
})
