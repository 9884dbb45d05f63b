import { defineConfig } from 'tsup'
import { base } from '../../../tsup.base.ts'

// The second one is the program of the processes in which graphs run.
export default defineConfig(base({ main: 'src/main.ts', 'graph-process': 'src/engine/graph-process.mjs' }))
