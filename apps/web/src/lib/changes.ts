import { queryClient } from './query-client.ts'

/** Parts of the server's state, by the first element of the keys of their queries. */
export type Part =
  | 'account'
  | 'agent-jobs'
  | 'agent-tasks'
  | 'agents'
  | 'backend-usecases'
  | 'backends'
  | 'branding'
  | 'capabilities'
  | 'collections'
  | 'discovery'
  | 'events'
  | 'home'
  | 'instructions'
  | 'invites'
  | 'limits'
  | 'logs'
  | 'middleware-status'
  | 'model-editor'
  | 'model-file'
  | 'models'
  | 'nodes'
  | 'operations'
  | 'proxy-certificate'
  | 'proxy-events'
  | 'readiness'
  | 'router-corpus'
  | 'router-decisions'
  | 'routers'
  | 'session'
  | 'settings'
  | 'skills'
  | 'system'
  | 'tools'
  | 'traces'
  | 'usage'
  | 'users'

/** Models in memory, and the parts that show them. */
const MEMORY: readonly Part[] = ['system', 'models', 'home', 'logs', 'nodes']
/** Model files, and everything that is made of them. */
const FILES: readonly Part[] = [
  ...MEMORY,
  ...(['model-file', 'model-editor', 'middleware-status', 'proxy-certificate', 'routers', 'router-corpus'] as const),
  ...(['backends', 'backend-usecases', 'operations', 'capabilities', 'discovery', 'tools'] as const),
]
const PEOPLE: readonly Part[] = ['users', 'home', 'account', 'session', 'usage', 'limits']
/** Figures that every request to a model changes. */
const FIGURES: readonly Part[] = ['traces', 'usage', 'account', 'limits', 'router-decisions', 'events', 'proxy-events']
const OPERATIONS: readonly Part[] = ['operations']

/**
 * Parts that a change of the server makes stale, by the change's name in the audit log or by the first word of that
 * name. An operation makes the rest stale when it ends.
 */
export const CHANGES: Readonly<Record<string, readonly Part[]>> = {
  'model.delete': [...OPERATIONS, ...FILES],
  'model.import': OPERATIONS,
  'model.install': OPERATIONS,
  'model.load': MEMORY,
  'model.unload': MEMORY,
  model: FILES,
  backend: [...OPERATIONS, 'backends', 'nodes'],
  node: [...OPERATIONS, ...MEMORY],
  operation: OPERATIONS,
  setting: [
    ...new Set<Part>([...FILES, ...PEOPLE, 'settings', 'branding', 'instructions', 'readiness', 'traces', 'invites']),
  ],
  branding: ['branding', 'settings'],
  user: PEOPLE,
  quota: PEOPLE,
  price: ['usage'],
  invite: ['invites'],
  key: ['account', 'usage', 'users', 'limits'],
  group: PEOPLE,
  account: ['account', 'session', 'users'],
  secret: ['account', 'session'],
  trace: ['traces', 'home'],
  log: ['logs'],
  corpus: ['router-corpus', 'routers'],
  // an agent is a model too
  agent: ['agents', 'agent-jobs', 'models'],
  task: ['agent-tasks'],
  job: ['agent-jobs', 'agents'],
  collection: ['collections'],
  skill: ['skills'],
  // the chains of failover and saved slots have no page
  failover: [],
  limit: ['limits'],
  slot: FIGURES,
  mcp: ['tools'],
  /** A request to a model, which is not a change in the audit log. */
  inference: ['system', 'home', 'logs', ...FIGURES],
}

/** The parts that a change makes stale; undefined for a change that this version of the interface does not know. */
export function listParts(change: string): readonly Part[] | undefined {
  const parts = CHANGES[change] ?? CHANGES[change.slice(0, change.indexOf('.'))]
  // each change is an event itself
  return parts && [...parts, 'events']
}

/** Parts that only the pages that hold them renew: a draft stays based on the file that it began with. */
const KEPT: ReadonlySet<unknown> = new Set(['operations', 'model-file'])

/**
 * Makes the open pages fetch data again that changes of the server have made stale; other pages fetch it when opened.
 */
export function applyChanges(changes: Iterable<string>): void {
  const stale = new Set<unknown>()
  let isUnknown = false
  for (const change of changes) {
    const parts = listParts(change)
    if (parts === undefined) isUnknown = true
    else for (const part of parts) stale.add(part)
  }
  if (stale.size === 0 && !isUnknown) return
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [part] }) => stale.has(part) || (isUnknown && !KEPT.has(part)),
  })
}
