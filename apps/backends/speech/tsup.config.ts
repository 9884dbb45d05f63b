import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'

export default defineConfig(program({ main: 'src/main.ts' }))
