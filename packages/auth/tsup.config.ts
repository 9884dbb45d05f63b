import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({
    index: 'src/index.ts',
    access: 'src/access/index.ts',
    accounts: 'src/accounts/index.ts',
    drizzle: 'src/drizzle/index.ts',
    memory: 'src/memory/index.ts',
    oauth: 'src/oauth/index.ts',
    ports: 'src/ports/index.ts',
    groups: 'src/groups/index.ts',
    limits: 'src/limits/index.ts',
    quotas: 'src/quotas/index.ts',
    usage: 'src/usage/index.ts',
  }),
)
