import { createOwnToolSet } from '../inference/tools/own-tool-set.ts'
import type { OpenAgentTools } from '../inference/tools/server-tools.ts'
import { createCollectionTools } from './collections/collection-tools.ts'
import type { Collections } from './collections/collections.ts'
import { offerSkills } from './skills/skill-tools.ts'
import type { Skills } from './skills/skills.ts'

/** Parts of {@link createAgentTools}. */
export interface AgentToolParts {
  readonly skills: { open(): Promise<Skills> }
  readonly collections: { open(): Promise<{ readonly collections: Collections }> }
}

/** Makes the tools that agents have from their skills and collections. */
export function createAgentTools({ skills, collections }: AgentToolParts): OpenAgentTools {
  /** Collections that were missing, which is said once. */
  const missing = new Set<string>()
  return async (asked, { context }) => {
    if (asked.kind === 'skills') return createOwnToolSet((await offerSkills(await skills.open(), asked.names)).tools)
    const { owner, names, mayMiss } = asked
    const opened = await collections.open()
    const onMissing = (name: string): void => {
      if (missing.has(name) || missing.size >= MAX_MISSING) return
      missing.add(name)
      context.log.warn({ agent: name }, 'an agent has enable_kb and no collection of its name: it runs without one')
    }
    const options = { collections: opened.collections, owner, names, mayMiss, onMissing, caller: context }
    return createOwnToolSet(await createCollectionTools(options))
  }
}

const MAX_MISSING = 1000
