import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

interface Job {
  readonly id: string
  readonly status: string
  readonly result?: string
  readonly error?: string
  readonly prompt: string
  readonly triggered_by: string
  readonly traces?: readonly { readonly type: string; readonly content: string }[]
}

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'It is done.' } }] })
})
afterAll(() => server.close())

const send = (method: string, path: string, body?: unknown) =>
  server.call(path, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

const TASK = { name: 'report', model: 'm', prompt: 'Write about {{.topic}}.' }

async function makeTask(fields: Record<string, unknown> = {}): Promise<string> {
  const made = await send('POST', '/api/agent/tasks', { ...TASK, ...fields })
  expect(made.status).toBe(201)
  return (made.json() as { id: string }).id
}

async function untilEnded(id: string): Promise<Job> {
  return eventually(async () => {
    const job = (await send('GET', `/api/agent/jobs/${id}`)).json() as Job
    expect(['pending', 'running']).not.toContain(job.status)
    return job
  })
}

// verifies agents:route:manage
describe('tasks and their jobs', () => {
  it('a task is made, listed, changed and removed', async () => {
    const id = await makeTask({ name: 'life', cron: '0 9 * * *', cron_timezone: 'Europe/Berlin' })
    const task = (await send('GET', `/api/agent/tasks/${id}`)).json() as Record<string, unknown>
    expect(task).toMatchObject({
      ...{ id, name: 'life', description: '', model: 'm', enabled: true },
      ...{ cron: '0 9 * * *', cron_timezone: 'Europe/Berlin', cron_missed: 'skip', cron_parameters: {} },
    })
    expect(String(task.next_run_at)).toMatch(/T0[78]:00:00/)
    expect((await send('GET', '/api/agent/tasks')).json()).toContainEqual(task)
    const changed = await send('PUT', `/api/agent/tasks/${id}`, { ...task, enabled: false })
    expect([changed.status, changed.json()]).toEqual([200, { message: 'Task updated' }])
    const after = (await send('GET', `/api/agent/tasks/${id}`)).json() as Record<string, unknown>
    expect([after.enabled, after.next_run_at]).toEqual([false, undefined])
    const refused = await send('POST', '/api/agent/jobs/execute', { task_id: id })
    expect([refused.status, refused.json()]).toEqual([400, { error: 'task is disabled: life' }])
    const removed = await send('DELETE', `/api/agent/tasks/${id}`)
    expect([removed.status, removed.json()]).toEqual([200, { message: 'Task deleted' }])
    const gone = await send('GET', `/api/agent/tasks/${id}`)
    expect([gone.status, gone.json()]).toEqual([404, { error: `Task not found: ${id}` }])
  })

  it.each([
    [{ cron: 'often' }, /^invalid cron expression: /],
    [{ cron: '@every 5m' }, /^invalid cron expression: @every is not supported/],
    [{ cron: '0 0 30 2 *' }, /no time to come/],
    [{ cron: '0 9 * * *', cron_timezone: 'Mars/Base' }, /is not the name of a time zone/],
    [{ prompt: 'a {{.b' }, /^prompt: /],
    [{ name: '' }, /^Invalid request body: name/],
    [{ nmae: 'x' }, /^Invalid request body: /],
    [{ webhooks: [{ url: 'https://example.com', method: 'POST' }] }, /^webhooks: /],
    [{ multimedia_sources: [{ type: 'image', url: 'file:///etc/passwd' }] }, /multimedia_sources/],
  ])('refuses %j by name', async (fields, message) => {
    const reply = await send('POST', '/api/agent/tasks', { ...TASK, ...fields })
    expect([reply.status, reply.json()]).toEqual([400, { error: expect.stringMatching(message) }])
  })

  it('a job fills in parameters, asks the model and keeps its steps', async () => {
    const id = await makeTask()
    const started = await send('POST', '/api/agent/jobs/execute', { task_id: id, parameters: { topic: 'rain' } })
    const { job_id: jobId, ...rest } = started.json() as { job_id: string }
    expect([started.status, rest]).toEqual([201, { status: 'pending', url: `${server.url}/api/agent/jobs/${jobId}` }])
    const job = await untilEnded(jobId)
    expect(job).toMatchObject({
      ...{ id: jobId, task_id: id, status: 'completed', result: 'It is done.', prompt: 'Write about rain.' },
      ...{ triggered_by: 'manual', parameters: { topic: 'rain' } },
    })
    expect(job.traces).toEqual([{ type: 'status', content: 'asks the model m', timestamp: expect.any(String) }])
    const listed = (await send('GET', `/api/agent/jobs?task_id=${id}&status=completed`)).json() as Job[]
    expect(listed.map((each) => [each.id, each.traces])).toEqual([[jobId, undefined]])
    const late = await send('POST', `/api/agent/jobs/${jobId}/cancel`)
    expect([late.status, late.json()]).toEqual([400, { error: `job is not running: ${jobId}` }])
    expect((await send('DELETE', `/api/agent/jobs/${jobId}`)).json()).toEqual({ message: 'Job deleted' })
    expect((await send('GET', `/api/agent/jobs/${jobId}`)).status).toBe(404)
  })

  it('a task runs by its name, with the body as its parameters', async () => {
    await makeTask({ name: 'by name' })
    const started = await send('POST', '/api/agent/tasks/by%20name/execute', { topic: 7 })
    const job = await untilEnded((started.json() as { job_id: string }).job_id)
    expect([job.status, job.prompt, job.triggered_by]).toEqual(['completed', 'Write about 7.', 'api'])
    const unknown = await send('POST', '/api/agent/tasks/nobody/execute', {})
    expect([unknown.status, unknown.json()]).toEqual([404, { error: 'Task not found: nobody' }])
  })

  it('a job of a model that is missing fails with the reason', async () => {
    const id = await makeTask({ model: 'missing' })
    const started = await send('POST', '/api/agent/jobs/execute', { task_id: id })
    const job = await untilEnded((started.json() as { job_id: string }).job_id)
    expect([job.status, job.error]).toEqual(['failed', expect.stringContaining('model "missing" not found')])
  })

  it('a job that runs is cancelled, and its model stops', async () => {
    await server.model('slow', { rules: [{ rpc: 'Predict*', do: { text: 'word '.repeat(2000), pieceDelayMs: 50 } }] })
    const id = await makeTask({ model: 'slow' })
    const started = await send('POST', '/api/agent/jobs/execute', { task_id: id })
    const { job_id: jobId } = started.json() as { job_id: string }
    await eventually(() => expect(server.records('slow').length).toBeGreaterThan(0))
    const cancelled = await send('POST', `/api/agent/jobs/${jobId}/cancel`)
    expect([cancelled.status, cancelled.json()]).toEqual([200, { message: 'Job cancelled' }])
    expect(await untilEnded(jobId)).toMatchObject({ status: 'cancelled' })
    await eventually(() => expect(server.records('slow').some(({ event }) => event === 'cancel')).toBe(true))
  })
})

it('without agents their routes are absent', async () => {
  await using plain = await startTestServer({ flags: ['--disable-agents'] })
  expect((await plain.call('/api/agent/tasks')).status).toBe(404)
})
