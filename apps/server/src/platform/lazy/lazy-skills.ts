import { join } from 'node:path'
import type { Skills } from '../../agents/skills/skills.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Logger } from '../../ports.ts'

/** Skills of agents. The first use loads their code, and removes what a killed server has left. */
export interface LazySkills {
  /** Whether agents are offered skills. */
  readonly isOffered: boolean
  open(): Promise<Skills>
}

/** Parts of {@link createLazySkills}. */
export interface LazySkillsParts {
  readonly config: Pick<ServerConfig, 'agentPoolStateDir' | 'agentPoolEnableSkills' | 'dataPath'>
  readonly logger: Logger
}

/** Makes the skills of a server. Nothing of them is loaded yet. */
export function createLazySkills({ config, logger }: LazySkillsParts): LazySkills {
  const folder = join(config.agentPoolStateDir ?? join(config.dataPath, 'agents'), 'skills')
  const { open } = createLazy(async () => {
    const { createSkills } = await import('../../agents/skills/skills.ts')
    const { sweepSkills } = await import('../../agents/skills/skill-folder.ts')
    await sweepSkills(folder)
    return createSkills({ folder, logger })
  })
  return { isOffered: config.agentPoolEnableSkills, open }
}
