import type { FormReader } from '../../../http/forms/form-reader.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { showConfig, toAgentConfig } from './agent-form.ts'
import { AGENT_FIELDS, SERVER_FIELDS } from './config-metadata.ts'
import { AGENT_ROUTE, withFileOrForm, withForm } from './read-form.ts'
import type { AgentRouteParts } from './task-routes.ts'

const schemas = () => import('./agent-schemas.ts')

const AGENTS = '/api/agents'
const AGENT = `${AGENTS}/:name`
const NOT_FOUND = { 404: { description: 'There is no such agent.' } }
const done = { 200: { description: 'Done.', schema: async () => (await schemas()).agentDone }, ...NOT_FOUND }

interface AgentParts extends AgentRouteParts {
  readonly forms: FormReader
  /** Address of a page where agents are shared; empty without one. */
  readonly hubUrl: () => string
}

/** `/api/agents`: agents as an administrator makes and changes them (§4.7). */
export function agentRoutes(parts: AgentParts): Route[] {
  return [
    metadataRoute(),
    listRoute(parts),
    ...[AGENTS, `${AGENTS}/import`].map((path) => createRoute(parts, path)),
    stateRoute(parts),
    updateRoute(parts),
    removeRoute(parts),
    ...[`${AGENT}/config`, `${AGENT}/export`].map((path) => configRoute(parts, path)),
    ...(['pause', 'resume'] as const).map((verb) => activeRoute(parts, verb)),
  ]
}

function listRoute({ open, hubUrl }: AgentParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: AGENTS,
    summary: 'The agents, and whether each takes messages',
    responses: {
      200: { description: 'In the order of their names.', schema: async () => (await schemas()).agentList },
    },
    async handler() {
      const agents = await (await open()).agents.list()
      return json({
        agents: agents.map(({ name }) => name),
        agentCount: agents.length,
        actions: 0,
        connectors: 0,
        statuses: Object.fromEntries(agents.map(({ name, active }) => [name, active])),
        agent_hub_url: hubUrl() || undefined,
      })
    },
  })
}

function createRoute({ open, bodies, forms }: AgentParts, path: string): Route {
  const isImport = path !== AGENTS
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'POST',
    path,
    summary: isImport ? 'Make an agent of an exported one: as JSON, or as the file of a form' : 'Make an agent',
    audit: { change: isImport ? 'agent.import' : 'agent.create' },
    form: isImport,
    body: async () => (await schemas()).agentForm,
    responses: {
      201: { description: 'Made.', schema: async () => (await schemas()).agentDone },
      409: { description: 'The name is in use.' },
    },
    async handler(call) {
      const schema = (await schemas()).agentForm
      const read = isImport ? withFileOrForm : withForm
      return read(call, { bodies, forms, schema }, async (form) => {
        const config = toAgentConfig(form)
        const { agents, agentsChanged } = await open()
        await agents.create(config, call.principal.id)
        await agentsChanged()
        call.noteChange({ target: config.name })
        return json({ status: 'ok' }, { status: 201 })
      })
    },
  })
}

function metadataRoute(): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: `${AGENTS}/config/metadata`,
    summary: 'The fields of an agent, for forms',
    responses: { 200: { description: 'The fields.', schema: async () => (await schemas()).configMetadata } },
    handler: () =>
      json({
        Fields: AGENT_FIELDS,
        MCPServers: SERVER_FIELDS,
        Connectors: [],
        Actions: [],
        DynamicPrompts: [],
        Filters: [],
      }),
  })
}

function stateRoute({ open }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: AGENT,
    summary: 'Whether an agent takes messages',
    responses: { 200: { description: 'Its state.', schema: async () => (await schemas()).agentState }, ...NOT_FOUND },
    handler: async (call) => json({ active: (await (await open()).agents.get(call.param('name'))).active }),
  })
}

function updateRoute({ open, bodies }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'PUT',
    path: AGENT,
    summary: 'Replace the configuration of an agent; its name stays',
    audit: { change: 'agent.update', target: 'name' },
    body: async () => (await schemas()).agentForm,
    responses: done,
    async handler(call) {
      const name = call.param('name')
      const schema = (await schemas()).agentForm.partial({ name: true })
      return withForm(call, { bodies, schema }, async (form) => {
        const { agents, agentsChanged } = await open()
        const before = await agents.get(name)
        await agents.update(name, toAgentConfig({ ...form, name }, before.config))
        await agentsChanged()
        return json({ status: 'ok' })
      })
    },
  })
}

function removeRoute({ open }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'DELETE',
    path: AGENT,
    summary: 'Remove an agent and its conversation; its files stay',
    audit: { change: 'agent.delete', target: 'name' },
    responses: done,
    async handler(call) {
      const { agents, agentsChanged, jobs } = await open()
      const name = call.param('name')
      await agents.remove(name)
      // A new agent of the name begins anew.
      await jobs.forget(name)
      await agentsChanged()
      return json({ status: 'ok' })
    },
  })
}

function configRoute({ open }: AgentRouteParts, path: string): Route {
  const isExport = path.endsWith('/export')
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path,
    summary: isExport ? 'The configuration of an agent as a file' : 'The configuration of an agent',
    responses: {
      200: { description: 'Without the tokens of its servers.', schema: async () => (await schemas()).agentConfig },
      ...NOT_FOUND,
    },
    async handler(call) {
      const { name, config } = await (await open()).agents.get(call.param('name'))
      const shown = showConfig(config)
      if (!isExport) return json(shown)
      const file = `${encodeURIComponent(name)}.json`
      return new HttpReply(`${JSON.stringify(shown, undefined, 2)}\n`, {
        headers: {
          'content-type': 'application/json',
          'content-disposition': `attachment; filename*=UTF-8''${file}`,
        },
      })
    },
  })
}

function activeRoute({ open }: AgentRouteParts, verb: 'pause' | 'resume'): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'PUT',
    path: `${AGENT}/${verb}`,
    summary: verb === 'pause' ? 'Let an agent take no messages' : 'Let an agent take messages again',
    audit: { change: `agent.${verb}`, target: 'name' },
    responses: done,
    async handler(call) {
      const { agents, agentsChanged } = await open()
      await agents.setActive(call.param('name'), verb === 'resume')
      await agentsChanged()
      return json({ status: 'ok' })
    },
  })
}
