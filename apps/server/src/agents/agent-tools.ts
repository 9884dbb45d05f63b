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
  return async (asked, { context }) => {
    if (asked.kind === 'skills') return createOwnToolSet((await offerSkills(await skills.open(), asked.names)).tools)
    const { owner, names } = asked
    const opened = await collections.open()
    return createOwnToolSet(
      await createCollectionTools({ collections: opened.collections, owner, names, caller: context }),
    )
  }
}
