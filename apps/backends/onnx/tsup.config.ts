import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'
import { bundleEngine } from './bundle-engine.ts'

export default defineConfig(
  // The second entry is the program of the graph processes.
  program({ main: 'src/main.ts', 'graph-process': 'src/engine/graph-process.mjs' }, [bundleEngine()]),
)
