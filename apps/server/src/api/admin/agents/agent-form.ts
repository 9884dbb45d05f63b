import type * as z from 'zod'
import type { AgentConfig, AgentToolServer } from '../../../agents/agent.ts'
import { refuseAgent } from '../../../agents/agent-errors.ts'
import type { agentForm } from './agent-schemas.ts'
import { MASK } from './to-wire.ts'

/** Names that are parts of paths beside agents. */
const TAKEN: ReadonlySet<string> = new Set(['actions', 'collections', 'config', 'git-repos', 'import', 'skills'])

/**
 * Checks the body of an agent.
 *
 * @param before the agent that it replaces: masked tokens keep their value
 * @throws {SvcError} `invalid_request` naming the member
 */
export function toAgentConfig(form: z.output<typeof agentForm>, before?: AgentConfig): AgentConfig {
  if (TAKEN.has(form.name)) throw refuseAgent(`name: "${form.name}" is a part of the paths of agents`)
  refuseConnectors(form.connectors)
  refuseActions(form.actions)
  if (isFilled(form.mcp_stdio_servers)) {
    throw refuseAgent('mcp_stdio_servers: only the file of a model names programs: write them to its key mcp.stdio')
  }
  const servers = form.mcp_servers?.map((server, index) => keepToken(server, before?.mcp_servers ?? [], index))
  const config = { ...keepSecrets(form, before), mcp_servers: servers }
  if (JSON.stringify(config).length > MAX_CONFIG_CHARACTERS) {
    throw refuseAgent(`an agent has at most ${MAX_CONFIG_CHARACTERS} characters of JSON`)
  }
  return config
}

/** All agents are read again each time that one changes. */
const MAX_CONFIG_CHARACTERS = 1_048_576

/** Names of members that hold secrets, also of those without a meaning here. */
const SECRET_NAME = /(^|_)(key|token|password|secret)$/i

/** Puts the values back that are masked. */
function keepSecrets<Form extends Readonly<Record<string, unknown>>>(
  form: Form,
  before: AgentConfig | undefined,
): Form {
  const masked = Object.keys(form).filter((name) => SECRET_NAME.test(name) && form[name] === MASK)
  const unknown = masked.find((name) => before?.[name] === undefined)
  if (unknown !== undefined) throw refuseAgent(`${unknown}: ${MASK} stands for a value that is not known`)
  return { ...form, ...Object.fromEntries(masked.map((name) => [name, before?.[name]])) }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
}

function refuseConnectors(connectors: unknown): void {
  if (!isFilled(connectors)) return
  const names = listTypes(connectors)
  throw refuseAgent(`connectors: this server calls no chat networks and no mail (${names}); leave them out`)
}

function refuseActions(actions: unknown): void {
  if (!isFilled(actions)) return
  throw refuseAgent(
    `actions: this server has no actions of its own (${listTypes(actions)}); give the agent tools by mcp_servers, or by the model`,
  )
}

/** Names what a list has, for a refusal. */
function listTypes(list: unknown): string {
  const types = Array.isArray(list)
    ? list.map((entry: unknown) => {
        const { type, name } = (entry ?? {}) as { readonly type?: unknown; readonly name?: unknown }
        return String(type ?? name ?? 'unnamed').slice(0, 50)
      })
    : ['not a list']
  return types.slice(0, 5).join(', ')
}

function keepToken(server: AgentToolServer, before: readonly AgentToolServer[], index: number): AgentToolServer {
  if (server.token !== MASK) return server
  // Servers of one address may have tokens of their own.
  const same = before.filter(({ url, token }) => url === server.url && token)
  const named = same.filter(({ name }) => (name ?? '') === (server.name ?? ''))
  const fits = (named.length > 0 ? named : same).map(({ token }) => token)
  const kept = fits.find((token) => token === before[index]?.token) ?? fits[0]
  if (kept) return { ...server, token: kept }
  throw refuseAgent(`mcp_servers[${index}].token: ${MASK} stands for a value that is not known`)
}

/** The config of an agent as replies show it. */
export function showConfig(config: AgentConfig): object {
  const shown = Object.entries(config).map(([name, value]) => [name, SECRET_NAME.test(name) && value ? MASK : value])
  return {
    ...Object.fromEntries(shown),
    mcp_servers: config.mcp_servers?.map((server) => (server.token ? { ...server, token: MASK } : server)),
  }
}
