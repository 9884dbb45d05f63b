import { defineConfig } from 'tsup'
import { base } from '../../../tsup.base.ts'

// The second one is the program of the threads in which graphs run.
export default defineConfig(base({ main: 'src/main.ts', 'graph-thread': 'src/engine/graph-thread.mjs' }))
