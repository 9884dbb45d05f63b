import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({
    index: 'src/index.ts',
    failover: 'src/failover/index.ts',
    replies: 'src/replies.ts',
    translate: 'src/translate/index.ts',
  }),
)
