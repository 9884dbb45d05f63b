import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(library({ index: 'src/index.ts', binary: 'src/binary.ts', zip: 'src/zip.ts' }))
