import { defineConfig } from 'tsup'
import { base } from '../../tsup.base.ts'

export default defineConfig(
  base({
    index: 'src/index.ts',
    failover: 'src/failover/index.ts',
    replies: 'src/replies.ts',
    translate: 'src/translate/index.ts',
  }),
)
