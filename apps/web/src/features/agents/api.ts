import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { toUrl } from '../../lib/base-path.ts'

const LIVE_MS = 2_000

const path = (name: string) => ({ params: { path: { name } } })

/** An agent of the list. */
export interface AgentRow {
  readonly name: string
  /** Whether it takes messages. */
  readonly isActive: boolean
}

/** All agents, by name. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  async queryFn({ signal }) {
    const { agents, statuses, agent_hub_url: hub } = await unwrap(api.GET('/api/agents', { signal }))
    const rows = agents.map((name): AgentRow => ({ name, isActive: statuses[name] === true }))
    return { rows, hub: hub ?? '' }
  },
})

/** Whether an agent takes messages. */
export const agentQuery = (name: string) =>
  queryOptions({
    queryKey: ['agents', name],
    queryFn: ({ signal }) => unwrap(api.GET('/api/agents/{name}', { ...path(name), signal })),
  })

/** A server of tools that an agent names. */
export interface ToolServer {
  readonly name?: string | null
  readonly url: string
  /** Replies show `***` in its place; sent back, it keeps its value. */
  readonly token?: string | null
}

/** The configuration of an agent. Members that the interface does not know are kept. */
export interface AgentConfig {
  readonly name: string
  readonly description?: string | null
  readonly model?: string | null
  readonly system_prompt?: string | null
  readonly mcp_servers?: readonly ToolServer[] | null
  readonly vector_stores?: readonly string[] | null
  readonly skills?: readonly string[] | null
  readonly enable_skills?: boolean | null
  readonly max_iterations?: number | null
  readonly parameters?: {
    readonly temperature?: number | null
    readonly top_p?: number | null
    readonly max_tokens?: number | null
  } | null
}

export const configQuery = (name: string) =>
  queryOptions({
    queryKey: ['agents', name, 'config'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/agents/{name}/config', { ...path(name), signal }))) as AgentConfig,
  })

/** A body of the API: its lists may be written. */
const toBody = (config: AgentConfig) =>
  ({
    ...config,
    mcp_servers: config.mcp_servers?.map((server) => ({ ...server })) ?? null,
    vector_stores: config.vector_stores == null ? null : [...config.vector_stores],
    skills: config.skills == null ? null : [...config.skills],
    parameters: config.parameters == null ? null : { ...config.parameters },
  }) as const

export function createAgent(config: AgentConfig) {
  return unwrap(api.POST('/api/agents', { body: toBody(config) }))
}

/** Makes an agent of an exported one. */
export function importAgent(config: AgentConfig) {
  return unwrap(api.POST('/api/agents/import', { body: config as ReturnType<typeof toBody> }))
}

export function updateAgent(config: AgentConfig) {
  return unwrap(api.PUT('/api/agents/{name}', { ...path(config.name), body: toBody(config) }))
}

export function deleteAgent(name: string) {
  return unwrap(api.DELETE('/api/agents/{name}', path(name)))
}

/** Lets an agent take messages, or no more. */
export function setActive(name: string, isActive: boolean) {
  return isActive
    ? unwrap(api.PUT('/api/agents/{name}/resume', path(name)))
    : unwrap(api.PUT('/api/agents/{name}/pause', path(name)))
}

/** The address of the exported configuration. */
export function findExport(name: string): string {
  return toUrl(`api/agents/${encodeURIComponent(name)}/export`)
}

/** The address of what happens to the messages of an agent, as server-sent events. */
export function findEvents(name: string): string {
  return toUrl(`api/agents/${encodeURIComponent(name)}/sse`)
}

async function fetchMessages(name: string, signal: AbortSignal) {
  const { History } = await unwrap(api.GET('/api/agents/{name}/observables', { ...path(name), signal }))
  return [...History].reverse()
}

/** A message to an agent, its steps and its answer. */
export type AgentMessage = Awaited<ReturnType<typeof fetchMessages>>[number]

/** The latest messages of an agent, the oldest first; asked for anew while one is answered. */
export const messagesQuery = (name: string) =>
  queryOptions({
    queryKey: ['agents', name, 'messages'],
    queryFn: ({ signal }) => fetchMessages(name, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ completion }) => completion === undefined) === true ? LIVE_MS : false,
  })

/** Sends a message. @returns the id of its job */
export async function sendMessage(name: string, message: string): Promise<string> {
  return (await unwrap(api.POST('/api/agents/{name}/chat', { ...path(name), body: { message } }))).message_id
}

/** Ends the answer to a message. */
export function cancelMessage(id: string) {
  return unwrap(api.POST('/api/agent/jobs/{id}/cancel', { params: { path: { id } } }))
}

/** Forgets the messages that have ended. */
export function clearMessages(name: string) {
  return unwrap(api.DELETE('/api/agents/{name}/observables', path(name)))
}

/** A file or folder of the folder of an agent. */
export interface AgentFile {
  readonly name: string
  readonly type: 'file' | 'folder'
  /** Bytes. */
  readonly size: number
}

/** The content of a folder. @param folder below the folder of the agent; empty for itself */
export const filesQuery = (name: string, folder: string) =>
  queryOptions({
    queryKey: ['agents', name, 'files', folder],
    async queryFn({ signal }) {
      const params = { path: { name }, query: { path: folder } }
      const reply = await unwrap(api.GET('/api/agents/{name}/files', { params, signal }))
      return (reply as { readonly files: readonly AgentFile[] }).files
    },
  })

/** The address of the bytes of a file. */
export function findFile(name: string, file: string): string {
  return toUrl(`api/agents/${encodeURIComponent(name)}/files?path=${encodeURIComponent(file)}`)
}

/** The stores in which agents can search. */
export const storesQuery = queryOptions({
  queryKey: ['collections', 'stores'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/v1/vector_stores', { params: { query: { limit: '100' } }, signal }))).data,
})

/** The names of the skills, and whether agents are offered any. */
export const offeredSkillsQuery = queryOptions({
  queryKey: ['skills', 'offered'],
  async queryFn({ signal }) {
    const [skills, { enabled }] = await Promise.all([
      unwrap(api.GET('/api/agents/skills', { signal })),
      unwrap(api.GET('/api/agents/skills/config', { signal })),
    ])
    return { names: skills.map(({ name }) => name), isOffered: enabled }
  },
})
