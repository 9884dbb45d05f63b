import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'
import { bundleEngine } from './bundle-engine.ts'

export default defineConfig(program({ main: 'src/main.ts' }, [bundleEngine()]))
