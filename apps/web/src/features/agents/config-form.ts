import type { AgentConfig, ToolServer } from './api.ts'

/** What the form of an agent holds. Numbers are texts, empty for the default. */
export interface ConfigForm {
  readonly description: string
  readonly model: string
  readonly prompt: string
  readonly turns: string
  readonly temperature: string
  readonly maxTokens: string
  readonly servers: readonly ToolServer[]
  readonly stores: readonly string[]
  readonly skills: readonly string[]
  readonly hasAllSkills: boolean
}

const toText = (value: number | null | undefined): string => (value == null ? '' : String(value))
const toNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** Fills the form from a configuration. */
export function toForm(config: AgentConfig): ConfigForm {
  return {
    description: config.description ?? '',
    model: config.model ?? '',
    prompt: config.system_prompt ?? '',
    turns: toText(config.max_iterations),
    temperature: toText(config.parameters?.temperature),
    maxTokens: toText(config.parameters?.max_tokens),
    servers: config.mcp_servers ?? [],
    stores: config.vector_stores ?? [],
    skills: config.skills ?? [],
    // the named ones count where both are given
    hasAllSkills: config.enable_skills === true && (config.skills ?? []).length === 0,
  }
}

/** Writes the form into the configuration that it was made of; other members stay. */
export function toConfig(before: AgentConfig, form: ConfigForm): AgentConfig {
  return {
    ...before,
    description: form.description,
    model: form.model,
    system_prompt: form.prompt,
    max_iterations: toNumber(form.turns),
    parameters: {
      ...before.parameters,
      temperature: toNumber(form.temperature),
      max_tokens: toNumber(form.maxTokens),
    },
    mcp_servers: form.servers,
    vector_stores: form.stores,
    skills: form.hasAllSkills ? [] : form.skills,
    enable_skills: form.hasAllSkills,
  }
}

/** Reads an exported agent; undefined for anything else. The server checks its members. */
export function readExport(text: string): AgentConfig | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isAgent = typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
    return isAgent ? (value as AgentConfig) : undefined
  } catch {
    return undefined
  }
}
