import { defineConfig } from 'tsup'
import { base } from '../../../tsup.base.ts'

export default defineConfig(base({ main: 'src/main.ts' }))
