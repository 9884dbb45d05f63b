import { defineConfig } from 'tsup'
import { base } from '../../../tsup.base.ts'

export default defineConfig({
  // The second entry is the program of the graph processes.
  ...base({ main: 'src/main.ts', 'graph-process': 'src/engine/graph-process.mjs' }),
  // An optional dependency, which would be bundled otherwise.
  external: ['onnxruntime-node'],
})
