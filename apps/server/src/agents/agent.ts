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

/** Prepares a run. @param before the conversation so far @throws {SvcError} `invalid_request` without a model */
export function toAgentRun(
  { name, config }: Agent,
  { defaultModel, before }: { readonly defaultModel: string; readonly before: readonly RunMessage[] },
): AgentRun {
  const model = config.model || defaultModel
  if (model === '') throw refuseAgent(`the agent "${name}" names no model, and SVC_AGENT_POOL_DEFAULT_MODEL is not set`)
  const prompt = config.system_prompt ?? ''
  const system: readonly RunMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }]
  return {
    model,
    before: [...system, ...before],
    options: { generation: toGeneration(config.parameters ?? {}) },
    hostedTools: listTools(config),
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
