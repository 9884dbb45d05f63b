import { refuseAgent } from '../../../agents/agent-errors.ts'
import type { Agents } from '../../../agents/agents.ts'
import type { JobInputs, JobTrigger } from '../../../agents/job.ts'
import { AGENT_LIMITS, type AgentTask } from '../../../agents/task.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { AGENT_ROUTE, withForm } from './read-form.ts'
import type { AgentRouteParts } from './task-routes.ts'

const schemas = () => import('./schemas.ts')

const NO_INPUTS: JobInputs = { images: [], videos: [], audios: [], files: [] }

/** The routes that run a task (§4.7). */
export function executeRoutes({ open, bodies }: AgentRouteParts): Route[] {
  return [
    defineRoute({
      ...AGENT_ROUTE,
      method: 'POST',
      path: '/api/agent/jobs/execute',
      summary: 'Run a task',
      audit: { change: 'job.execute' },
      body: async () => (await schemas()).executeForm,
      responses: {
        201: { description: 'The job waits.', schema: async () => (await schemas()).jobStarted },
        404: { description: 'There is no such task.' },
      },
      async handler(call) {
        const schema = (await schemas()).executeForm
        return withForm(call, { bodies, schema }, async ({ task_id: id, parameters, ...media }) => {
          const agents = await open()
          const task = await agents.tasks.get(id)
          return execute(call, agents, {
            task,
            parameters: parameters ?? {},
            inputs: toInputs(media),
            triggeredBy: 'manual',
          })
        })
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'POST',
      path: '/api/agent/tasks/:name/execute',
      summary: 'Run a task by its name; the body holds its parameters',
      audit: { change: 'job.execute' },
      body: async () => (await schemas()).executeByNameForm,
      responses: {
        201: { description: 'The job waits.', schema: async () => (await schemas()).jobStarted },
        404: { description: 'There is no such task.' },
      },
      async handler(call) {
        const agents = await open()
        const task = await agents.tasks.getByName(call.param('name'))
        const run = { task, inputs: NO_INPUTS, triggeredBy: 'api' } as const
        if (!hasBody(call)) return execute(call, agents, { ...run, parameters: {} })
        const schema = (await schemas()).executeByNameForm
        return withForm(call, { bodies, schema }, (parameters) => execute(call, agents, { ...run, parameters }))
      },
    }),
  ]
}

/** A run of a task. */
interface TaskRun {
  readonly task: AgentTask
  readonly parameters: Readonly<Record<string, string>>
  readonly inputs: JobInputs
  readonly triggeredBy: JobTrigger
}

async function execute(call: Call, agents: Agents, run: TaskRun): Promise<HttpReply> {
  const { task, parameters, inputs, triggeredBy } = run
  if (!task.enabled) throw refuseAgent(`task is disabled: ${task.name}`)
  const { id: taskId, owner, model, mediaSources } = task
  const { renderPrompt } = await import('../../../agents/render-prompt.ts')
  const id = await agents.jobs.insert({
    ...{ taskId, owner, model, parameters, triggeredBy, agent: '' },
    prompt: renderPrompt(task.prompt, parameters),
    media: { ...inputs, sources: mediaSources },
  })
  agents.jobsChanged()
  call.noteChange({ target: taskId, name: task.name, details: id })
  return json({ job_id: id, status: 'pending', url: `${call.baseUrl}api/agent/jobs/${id}` }, { status: 201 })
}

type InputForm = { readonly [Key in keyof JobInputs]?: readonly string[] | null | undefined }

function toInputs({ images, videos, audios, files }: InputForm): JobInputs {
  const inputs = { images: images ?? [], videos: videos ?? [], audios: audios ?? [], files: files ?? [] }
  const all = Object.values(inputs).flat()
  const isTooMuch =
    all.length > AGENT_LIMITS.media || all.reduce((sum, text) => sum + text.length, 0) > AGENT_LIMITS.mediaBytes
  if (isTooMuch) {
    throw refuseAgent(`media: at most ${AGENT_LIMITS.media}, with ${AGENT_LIMITS.mediaBytes} characters together`)
  }
  return inputs
}

function hasBody({ incoming: { headers } }: Call): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}
