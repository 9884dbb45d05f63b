import { agentNotFound, refuseAgent } from '../../../agents/agent-errors.ts'
import type { Agents } from '../../../agents/agents.ts'
import type { AgentJob, JobStatus } from '../../../agents/job.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { readCount } from '../../../http/read-count.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { AGENT_ROUTE } from './read-form.ts'
import type { AgentRouteParts } from './task-routes.ts'
import { toWireJob, toWireSummary } from './to-wire.ts'

const schemas = () => import('./schemas.ts')

const JOBS = '/api/agent/jobs'
const JOB = `${JOBS}/:id`
const STATES: readonly string[] = ['pending', 'running', 'completed', 'failed', 'cancelled'] satisfies JobStatus[]

/** `/api/agent/jobs`: runs of tasks and of agents (§4.7). */
export function jobRoutes({ open }: Pick<AgentRouteParts, 'open'>): Route[] {
  return [
    defineRoute({
      ...AGENT_ROUTE,
      method: 'GET',
      path: JOBS,
      summary: 'The jobs, without their steps and media',
      query: async () => (await schemas()).jobQuery,
      responses: { 200: { description: 'The newest first.', schema: async () => (await schemas()).jobList } },
      async handler(call) {
        const status = call.query('status') || undefined
        if (status !== undefined && !isStatus(status))
          throw refuseAgent(`status: one of ${STATES.join(', ')}`, 'status')
        const taskId = call.query('task_id') || undefined
        const limit = readCount(call.query('limit'), { usual: 100, most: 1000 })
        return json((await (await open()).jobs.list({ taskId, status, limit })).map(toWireSummary))
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'GET',
      path: JOB,
      summary: 'One job with its steps',
      responses: {
        200: { description: 'The job.', schema: async () => (await schemas()).job },
        404: { description: 'There is none with this id.' },
      },
      async handler(call) {
        const { jobs } = await open()
        const job = await findJob(jobs, call)
        return json(toWireJob(job, await jobs.listSteps(job.id)))
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'POST',
      path: `${JOB}/cancel`,
      summary: 'End a job that waits or runs',
      audit: { change: 'job.cancel', target: 'id' },
      responses: {
        200: { description: 'Ended.', schema: async () => (await schemas()).done },
        400: { description: 'It has ended already.' },
        404: { description: 'There is none with this id.' },
      },
      async handler(call) {
        const { jobs, jobsChanged } = await open()
        const job = await findJob(jobs, call)
        if (!(await jobs.cancel(job.id))) throw refuseAgent(`job is not running: ${job.id}`)
        jobsChanged()
        return json({ message: 'Job cancelled' })
      },
    }),
    defineRoute({
      ...AGENT_ROUTE,
      method: 'DELETE',
      path: JOB,
      summary: 'Remove a job; one that runs ends',
      audit: { change: 'job.delete', target: 'id' },
      responses: {
        200: { description: 'Removed.', schema: async () => (await schemas()).done },
        404: { description: 'There is none with this id.' },
      },
      async handler(call) {
        const { jobs, jobsChanged } = await open()
        const id = call.param('id')
        if (!(await jobs.remove(id))) throw agentNotFound('Job', id)
        jobsChanged()
        return json({ message: 'Job deleted' })
      },
    }),
  ]
}

const isStatus = (text: string): text is JobStatus => STATES.includes(text)

async function findJob(jobs: Agents['jobs'], call: Call): Promise<AgentJob> {
  const id = call.param('id')
  const job = await jobs.get(id)
  if (job === undefined) throw agentNotFound('Job', id)
  return job
}
