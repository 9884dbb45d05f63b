import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({ index: 'src/index.ts', opus: 'src/opus/index.ts', samples: 'src/samples/index.ts' }),
)
