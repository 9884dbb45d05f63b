import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'

export default defineConfig(program({ entry: { main: 'src/main.ts' }, external: ['node-llama-cpp'] }))
