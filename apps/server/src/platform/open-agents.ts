import type { OpenAgentTools, OpenFileSearch } from '../inference/tools/server-tools.ts'
import type { Closers } from './closers.ts'
import { createLazyAgents, type LazyAgents, type LazyAgentsParts } from './lazy/lazy-agents.ts'
import { createLazyCollections, type LazyCollections, type LazyCollectionsParts } from './lazy/lazy-collections.ts'
import { createLazyDocuments, type LazyDocuments, type LazyDocumentsParts } from './lazy/lazy-documents.ts'
import { createLazySkills, type LazySkills, type LazySkillsParts } from './lazy/lazy-skills.ts'

/** Agents, and what they know. */
export interface AgentParts {
  /** Uploaded files, and the stores in which their texts are found. */
  readonly documents: LazyDocuments
  readonly collections: LazyCollections
  readonly skills: LazySkills
  readonly agents: LazyAgents
  /** Searches stores for requests. */
  readonly fileSearch: OpenFileSearch
  /** Gives agents their skills and collections. */
  readonly agentTools: OpenAgentTools
}

/** Options of {@link openAgentParts}. */
export type AgentPartsOptions = Omit<LazyDocumentsParts, 'server'> &
  Omit<LazyCollectionsParts, 'server' | 'documents'> &
  Omit<LazyAgentsParts, 'server' | 'skills'> &
  LazySkillsParts & {
    /** Id of this server. */
    readonly serverId: string
  }

/** Opens agents with their documents, collections and skills, and reads the agents, which are models for requests. */
export async function openAgentParts(
  { serverId: server, ...options }: AgentPartsOptions,
  closers: Closers,
): Promise<AgentParts> {
  const documents = createLazyDocuments({ ...options, server })
  closers.push(() => documents.close())
  const collections = createLazyCollections({ ...options, server, documents })
  closers.push(() => collections.close())
  const skills = createLazySkills(options)
  const agents = createLazyAgents({ ...options, server, skills })
  closers.push(() => agents.close())
  await agents.load()
  return {
    documents,
    collections,
    skills,
    agents,
    async fileSearch(asked, context) {
      const { createFileSearch } = await import('../document-stores/file-search.ts')
      return createFileSearch(documents)(asked, context)
    },
    async agentTools(asked, context) {
      const { createAgentTools } = await import('../agents/agent-tools.ts')
      return createAgentTools({ skills, collections })(asked, context)
    },
  }
}
