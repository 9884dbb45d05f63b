import { agentNotFound } from '../../../agents/agent-errors.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { AGENT_ROUTE } from './read-form.ts'

const schemas = () => import('./agent-schemas.ts')

/** The actions of agents: this server has none of its own, and no programs of a folder. */
export function actionRoutes(): Route[] {
  const list = defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: '/api/agents/actions',
    summary: 'The actions of agents: none, as tools come from MCP servers',
    responses: { 200: { description: 'An empty list.', schema: async () => (await schemas()).actionList } },
    handler: () => json({ actions: [] }),
  })
  const uses = (['definition', 'run'] as const).map((what) =>
    defineRoute({
      ...AGENT_ROUTE,
      method: 'POST',
      path: `/api/agents/actions/:name/${what}`,
      summary: what === 'run' ? 'Run an action' : 'The parameters of an action',
      audit: { unrecorded: 'there are no actions' },
      responses: { 404: { description: 'There is no such action.' } },
      handler: (call) => {
        throw agentNotFound('Action', call.param('name'))
      },
    }),
  )
  return [list, ...uses]
}
