import type { ModelConfig } from '../catalog/model-config.ts'
import { createBlankModel } from '../catalog/to-model-config.ts'
import type { GenerationOptions } from '../inference/core/request.ts'
import type { HostedTool } from '../inference/tools/hosted-tool.ts'
import { refuseAgent } from './agent-errors.ts'
import type { AgentRun } from './run-job.ts'
import type { RunMessage } from './run-messages.ts'

/** A remote server of tools that an agent names itself. */
export interface AgentToolServer {
  readonly name?: string | null | undefined
  readonly url: string
  readonly token?: string | null | undefined
}

/** What an administrator says about an agent. Members without a meaning here are kept. */
export interface AgentConfig extends Readonly<Record<string, unknown>> {
  readonly name: string
  readonly description?: string | null | undefined
  /** Name of a model; the default of the server without one. */
  readonly model?: string | null | undefined
  readonly system_prompt?: string | null | undefined
  readonly mcp_servers?: readonly AgentToolServer[] | null | undefined
  /** Ids of vector stores in which the agent may search. */
  readonly vector_stores?: readonly string[] | null | undefined
  /** Names of collections in which the agent may search. */
  readonly collections?: readonly string[] | null | undefined
  /** Whether it searches the collection of its own name too. */
  readonly enable_kb?: boolean | null | undefined
  /** Names of skills that the agent may read; all with {@link enable_skills}. */
  readonly skills?: readonly string[] | null | undefined
  readonly enable_skills?: boolean | null | undefined
  /** Most turns with calls of tools. */
  readonly max_iterations?: number | null | undefined
  readonly parameters?: AgentParameters | null | undefined
}

/** Parameters of an agent's model. */
export interface AgentParameters {
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly max_tokens?: number | null | undefined
  readonly seed?: number | null | undefined
}

/** An agent. */
export interface Agent {
  readonly name: string
  /** Id of the principal that made it. */
  readonly owner: string
  readonly config: AgentConfig
  /** Whether it takes messages. */
  readonly active: boolean
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a run needs beside its agent. */
export interface AgentRunOptions {
  /** Empty = none. */
  readonly defaultModel: string
  /** The conversation so far. */
  readonly before: readonly RunMessage[]
  /** What the model is told of the skills of the agent. @default nothing: it has none */
  readonly skillPrompt?: string | undefined
}

/** Gives the skills that an agent may read; undefined when it has none. */
export function selectSkills({ skills, enable_skills: all }: AgentConfig): { names?: readonly string[] } | undefined {
  if (skills != null && skills.length > 0) return { names: skills }
  return all === true ? {} : undefined
}

/** Prepares a run. @throws {SvcError} `invalid_request` without a model */
export function toAgentRun(
  { name, owner, config }: Agent,
  { defaultModel, before, skillPrompt = '' }: AgentRunOptions,
): AgentRun {
  const model = config.model || defaultModel
  if (model === '') throw refuseAgent(`the agent "${name}" names no model, and SVC_AGENT_POOL_DEFAULT_MODEL is not set`)
  const prompt = [config.system_prompt ?? '', skillPrompt].filter((part) => part !== '').join('\n\n')
  const system: readonly RunMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }]
  return {
    model,
    before: [...system, ...before],
    options: { generation: toGeneration(config.parameters ?? {}) },
    hostedTools: [
      ...listTools(config),
      ...listCollections(config, { name, owner }),
      ...(skillPrompt === '' ? [] : [{ kind: 'skills', ...selectSkills(config) } as const]),
    ],
    maxTurns: config.max_iterations || undefined,
  }
}

function toGeneration({ temperature, top_p: topP, max_tokens: maxTokens, seed }: AgentParameters): GenerationOptions {
  return {
    temperature: temperature ?? undefined,
    topP: topP ?? undefined,
    maxTokens: maxTokens ?? undefined,
    seed: seed ?? undefined,
  }
}

function listTools({ mcp_servers: servers, vector_stores: stores }: AgentConfig): readonly HostedTool[] {
  const named = (servers ?? []).map(
    ({ name, url, token }, index): HostedTool => ({
      kind: 'named-server',
      server: { label: name || `server-${index + 1}`, url, token: token || undefined },
    }),
  )
  const search: readonly HostedTool[] = stores == null || stores.length === 0 ? [] : [{ kind: 'file-search', stores }]
  return [{ kind: 'model-servers', required: false, ifAny: true }, ...named, ...search]
}

function listCollections(
  { collections, enable_kb: ownOne }: AgentConfig,
  { name, owner }: Pick<Agent, 'name' | 'owner'>,
): readonly HostedTool[] {
  const named = collections ?? []
  const hasOwn = ownOne === true && !named.includes(name)
  const names = [...new Set([...named, ...(hasOwn ? [name] : [])])]
  return names.length === 0 ? [] : [{ kind: 'collections', owner, names, ...(hasOwn ? { mayMiss: name } : {}) }]
}

/** Writes an agent as a model, for routes that name it. */
export function toAgentModel({ name, config, active, updatedAt }: Agent): ModelConfig {
  return {
    ...createBlankModel({ name, source: 'agent', place: { file: '', folder: '', modifiedAt: updatedAt } }),
    description: config.description ?? undefined,
    knownUsecases: ['chat', 'completion'],
    // The model of the agent decides.
    knownInputModalities: ['text', 'image', 'audio', 'video'],
    serving: { kind: 'agent', agent: name },
    disabled: !active,
  }
}
