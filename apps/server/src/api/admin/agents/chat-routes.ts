import { refuseAgent } from '../../../agents/agent-errors.ts'
import { type JobStep, type JobSummary, NO_MEDIA } from '../../../agents/job.ts'
import { AGENT_LIMITS } from '../../../agents/task.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { type EventStreamParts, streamEvents } from '../event-stream.ts'
import { toAgentFrames } from './agent-frames.ts'
import { AGENT_ROUTE, withForm } from './read-form.ts'
import type { AgentRouteParts } from './task-routes.ts'
import { toTime, toWireStep } from './to-wire.ts'

const schemas = () => import('./agent-schemas.ts')

const AGENT = '/api/agents/:name'
const NOT_FOUND = { 404: { description: 'There is no such agent.' } }
/** Messages of a status, and of a list of observables. */
const SHOWN = 20

/** Messages to agents, and what becomes of them (§4.7). */
export function chatRoutes(parts: AgentRouteParts & { readonly streams: EventStreamParts }): Route[] {
  return [chatRoute(parts), eventsRoute(parts), statusRoute(parts), observablesRoute(parts), clearRoute(parts)]
}

function chatRoute({ open, bodies, clock }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'POST',
    path: `${AGENT}/chat`,
    summary: 'Send a message to an agent, which answers as a job',
    audit: { change: 'agent.chat', target: 'name' },
    body: async () => (await schemas()).chatForm,
    responses: {
      202: { description: 'The id of the job.', schema: async () => (await schemas()).messageReceived },
      400: { description: 'The message is empty, or the agent is paused.' },
      ...NOT_FOUND,
    },
    async handler(call) {
      const schema = (await schemas()).chatForm
      return withForm(call, { bodies, schema }, async ({ message }) => {
        const prompt = message?.trim() ?? ''
        if (prompt === '') throw refuseAgent('Message cannot be empty')
        const { agents, jobs, feed, jobsChanged } = await open()
        const { name, config, active, owner } = await agents.get(call.param('name'))
        if (!active) throw refuseAgent(`agent is paused: ${name}`)
        const model = config.model ?? ''
        const run = { taskId: '', agent: name, owner, model, prompt, parameters: {}, media: NO_MEDIA }
        const id = await jobs.insert({ ...run, triggeredBy: 'api' })
        feed.publish({ type: 'begin', agent: name, jobId: id, message: prompt, at: clock.now() })
        jobsChanged()
        call.noteChange({ details: id })
        return json({ status: 'message_received', message_id: id }, { status: 202 })
      })
    },
  })
}

function eventsRoute({ open, streams }: AgentRouteParts & { readonly streams: EventStreamParts }): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: `${AGENT}/sse`,
    summary: 'What happens to the messages of an agent, as server-sent events',
    quiet: true,
    responses: {
      200: {
        description: 'Events of the jobs that this server runs.',
        contentType: 'text/event-stream',
        schema: async () => (await schemas()).agentEvent,
      },
      ...NOT_FOUND,
    },
    async handler(call) {
      const { agents, feed } = await open()
      const { name } = await agents.get(call.param('name'))
      return streamEvents(
        call,
        {
          open: () => feed.open(),
          begin: () => ':\n\n',
          toFrames: (events) => toAgentFrames(events.filter(({ agent }) => agent === name)),
        },
        streams,
      )
    },
  })
}

function statusRoute({ open }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: `${AGENT}/status`,
    summary: 'The latest messages of an agent with their answers',
    responses: {
      200: { description: 'The newest first.', schema: async () => (await schemas()).agentStatus },
      ...NOT_FOUND,
    },
    async handler(call) {
      const { agents, jobs } = await open()
      const { name } = await agents.get(call.param('name'))
      const latest = await jobs.list({ agent: name, limit: SHOWN })
      const history = latest.map(({ id, prompt: message, status, result, error, createdAt }) => ({
        ...{ id, message, status, result, error },
        timestamp: toTime(createdAt),
      }))
      return json({ Name: name, History: history })
    },
  })
}

function observablesRoute({ open }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: `${AGENT}/observables`,
    summary: 'The latest messages of an agent with every step',
    responses: {
      200: { description: 'The newest first.', schema: async () => (await schemas()).observables },
      ...NOT_FOUND,
    },
    async handler(call) {
      const { agents, jobs } = await open()
      const { name } = await agents.get(call.param('name'))
      const history: object[] = []
      let left: number = AGENT_LIMITS.listLength
      for (const job of await jobs.list({ agent: name, limit: SHOWN })) {
        const steps = await jobs.listSteps(job.id)
        left -= steps.reduce((sum, { content, arguments: args = '' }) => sum + content.length + args.length, 0)
        if (left < 0 && history.length > 0) break
        history.push(toObservable(job, steps))
      }
      return json({ Name: name, History: history })
    },
  })
}

function toObservable(job: JobSummary, steps: readonly JobStep[]): object {
  const { id, agent, prompt, status, result, error, createdAt, completedAt } = job
  const isOver = status !== 'pending' && status !== 'running'
  return {
    ...{ id, agent, name: 'message' },
    creation: { message: prompt, timestamp: toTime(createdAt) },
    progress: steps.map(toWireStep),
    completion: isOver
      ? { status, result, error, timestamp: completedAt === undefined ? undefined : toTime(completedAt) }
      : undefined,
  }
}

function clearRoute({ open }: AgentRouteParts): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'DELETE',
    path: `${AGENT}/observables`,
    summary: 'Forget the messages of an agent that have ended: its conversation begins anew',
    audit: { change: 'agent.clear', target: 'name' },
    responses: {
      200: { description: 'Forgotten.', schema: async () => (await schemas()).agentDone },
      ...NOT_FOUND,
    },
    async handler(call) {
      const { agents, jobs } = await open()
      const { name } = await agents.get(call.param('name'))
      const removed = await jobs.forget(name)
      call.noteChange({ details: `${removed} removed` })
      return json({ status: 'ok' })
    },
  })
}
