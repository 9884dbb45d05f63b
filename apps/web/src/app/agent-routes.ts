import { readAgentSearch } from '../features/agents/search.ts'
import { readCollectionSearch } from '../features/collections/search.ts'
import { readSkillSearch } from '../features/skills/search.ts'
import { readJobsSearch } from '../features/tasks/search.ts'
import { definePage, type PageModule } from './define-page.ts'
import { appRoute } from './root-route.ts'

const TASKS = { access: 'admin', needs: 'agents', namespaces: ['agents', 'tasks'] } as const
const AGENTS = { access: 'admin', needs: 'agents', namespaces: ['agents', 'tasks'] } as const
const COLLECTIONS = { access: 'admin', needs: 'collections', namespaces: ['agents', 'collections'] } as const
const SKILLS = { access: 'admin', needs: 'skills', namespaces: ['agents', 'skills'] } as const

/** Pages of agents, and of what they work with. */
export const agentPages = [
  definePage(appRoute, {
    path: 'agents',
    ...AGENTS,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/agents/agents-page.tsx')).AgentsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'agents/agent/$name',
    ...AGENTS,
    search: readAgentSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/agents/agent-page.tsx')).AgentPage }),
  }),
  definePage(appRoute, {
    path: 'agents/tasks',
    ...TASKS,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/tasks/tasks-page.tsx')).TasksPage }),
  }),
  definePage(appRoute, {
    path: 'agents/tasks/$id',
    ...TASKS,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/tasks/task-page.tsx')).TaskPage }),
  }),
  definePage(appRoute, {
    path: 'agents/jobs',
    ...TASKS,
    search: readJobsSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/tasks/jobs-page.tsx')).JobsPage }),
  }),
  definePage(appRoute, {
    path: 'agents/jobs/$id',
    ...TASKS,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/tasks/job-page.tsx')).JobPage }),
  }),
  definePage(appRoute, {
    path: 'agents/collections',
    ...COLLECTIONS,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/collections/collections-page.tsx')).CollectionsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'agents/collections/$name',
    ...COLLECTIONS,
    search: readCollectionSearch,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/collections/collection-page.tsx')).CollectionPage,
    }),
  }),
  definePage(appRoute, {
    path: 'agents/skills',
    ...SKILLS,
    load: async (): Promise<PageModule> => ({
      default: (await import('../features/skills/skills-page.tsx')).SkillsPage,
    }),
  }),
  definePage(appRoute, {
    path: 'agents/skills/$name',
    ...SKILLS,
    search: readSkillSearch,
    load: async (): Promise<PageModule> => ({ default: (await import('../features/skills/skill-page.tsx')).SkillPage }),
  }),
]
