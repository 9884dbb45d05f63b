import type { Agents } from '../../../agents/agents.ts'
import type { BodyReader } from '../../../http/body.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Clock } from '../../../ports.ts'
import { AGENT_ROUTE, withForm } from './read-form.ts'
import { toWireTask } from './to-wire.ts'

const schemas = () => import('./schemas.ts')
const drafts = () => import('./task-draft.ts')

/** Parts of the routes of agents. */
export interface AgentRouteParts {
  /** Gives the agents; the first call loads them. */
  readonly open: () => Promise<Agents>
  readonly bodies: BodyReader
  readonly clock: Pick<Clock, 'now'>
}

const TASKS = '/api/agent/tasks'
const TASK = `${TASKS}/:id`

/** `/api/agent/tasks`: prompts that run as jobs (§4.7). */
export function taskRoutes({ open, bodies, clock }: AgentRouteParts): Route[] {
  return [
    defineRoute({
      ...AGENT_ROUTE,
      method: 'POST',
      path: TASKS,
      summary: 'Make a task',
      audit: { change: 'task.create' },
      body: async () => (await schemas()).taskForm,
      responses: { 201: { description: 'The id of the task.', schema: async () => (await schemas()).taskCreated } },
      async handler(call) {
        const schema = (await schemas()).taskForm
        return withForm(call, { bodies, schema }, async (form) => {
          const draft = (await drafts()).toTaskDraft(form, clock.now())
          const agents = await open()
          const { id } = await agents.tasks.create(draft, call.principal.id)
          agents.tasksChanged()
          call.noteChange({ target: id, name: draft.name })
          return json({ id }, { status: 201 })
        })
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'GET',
      path: TASKS,
      summary: 'The tasks',
      query: async () => (await schemas()).taskQuery,
      responses: {
        200: {
          description: 'In the order of their names, as many as 16 MiB of text hold.',
          schema: async () => (await schemas()).taskList,
        },
      },
      async handler(call) {
        const { tasks } = await open()
        return json((await tasks.list(call.query('after') || undefined)).map(toWireTask))
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'GET',
      path: TASK,
      summary: 'One task',
      responses: {
        200: { description: 'The task.', schema: async () => (await schemas()).task },
        404: { description: 'There is none with this id.' },
      },
      handler: async (call) => json(toWireTask(await (await open()).tasks.get(call.param('id')))),
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'PUT',
      path: TASK,
      summary: 'Replace a task',
      audit: { change: 'task.update', target: 'id' },
      body: async () => (await schemas()).taskForm,
      responses: {
        200: { description: 'Jobs that wait or run stay as they are.', schema: async () => (await schemas()).done },
        404: { description: 'There is none with this id.' },
      },
      async handler(call) {
        const schema = (await schemas()).taskForm
        return withForm(call, { bodies, schema }, async (form) => {
          const agents = await open()
          const before = await agents.tasks.get(call.param('id'))
          const draft = (await drafts()).toTaskDraft(form, clock.now(), before)
          await agents.tasks.update(before.id, draft)
          agents.tasksChanged()
          call.noteChange({ name: draft.name })
          return json({ message: 'Task updated' })
        })
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'DELETE',
      path: TASK,
      summary: 'Remove a task; its jobs stay',
      audit: { change: 'task.delete', target: 'id' },
      responses: {
        200: { description: 'Removed.', schema: async () => (await schemas()).done },
        404: { description: 'There is none with this id.' },
      },
      async handler(call) {
        const agents = await open()
        await agents.tasks.remove(call.param('id'))
        agents.tasksChanged()
        return json({ message: 'Task deleted' })
      },
    }),
  ]
}
