import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
    await eventually(() => expect(server.records('slow').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    const cancelled = await send('POST', `/api/agent/jobs/${jobId}/cancel`)
    expect([cancelled.status, cancelled.json()]).toEqual([200, { message: 'Job cancelled' }])
    expect(await untilEnded(jobId)).toMatchObject({ status: 'cancelled' })
    await eventually(() => expect(server.records('slow').some(({ event }) => event === 'cancel')).toBe(true))
  })
})

async function makeAgent(fields: Record<string, unknown>): Promise<void> {
  const made = await send('POST', '/api/agents', { model: 'm', ...fields })
  expect([made.status, made.json()]).toEqual([201, { status: 'ok' }])
}

// verifies agents:route:manage
describe('agents', () => {
  it('an agent is made, shown, changed, paused, exported, imported and removed', async () => {
    await makeAgent({
      ...{ name: 'clerk', description: 'Writes letters', system_prompt: 'Be brief.', own_field: [1] },
      ...{ api_key: 'hidden-token', connectors: null, actions: [], standalone_job: false },
      mcp_servers: [{ url: 'https://tools.example/mcp', token: 'hidden-token' }],
    })
    const again = await send('POST', '/api/agents', { name: 'clerk' })
    expect([again.status, again.json()]).toEqual([409, { error: 'Agent exists already: clerk' }])
    expect((await send('GET', '/api/agents')).json()).toMatchObject({
      ...{ agents: ['clerk'], agentCount: 1, statuses: { clerk: true } },
    })
    const config = (await send('GET', '/api/agents/clerk/config')).json() as Record<string, unknown>
    expect(config).toMatchObject({
      ...{ name: 'clerk', model: 'm', system_prompt: 'Be brief.', own_field: [1] },
      mcp_servers: [{ url: 'https://tools.example/mcp', token: '***' }],
    })
    expect((await send('PUT', '/api/agents/clerk', { ...config, description: 'Files' })).json()).toEqual({
      status: 'ok',
    })
    expect((await send('GET', '/api/agents/clerk/config')).json()).toMatchObject({ description: 'Files' })
    expect((await send('PUT', '/api/agents/clerk/pause')).json()).toEqual({ status: 'ok' })
    expect((await send('GET', '/api/agents/clerk')).json()).toEqual({ active: false })
    const paused = await send('POST', '/api/agents/clerk/chat', { message: 'Hello' })
    expect([paused.status, paused.json()]).toEqual([400, { error: 'agent is paused: clerk' }])
    expect((await server.chat('clerk')).status).toBe(403)
    expect((await send('PUT', '/api/agents/clerk/resume')).json()).toEqual({ status: 'ok' })
    const exported = await send('GET', '/api/agents/clerk/export')
    expect(exported.headers['content-disposition']).toBe("attachment; filename*=UTF-8''clerk.json")
    expect(exported.text).not.toContain('hidden-token')
    expect((await send('DELETE', '/api/agents/clerk')).json()).toEqual({ status: 'ok' })
    const { mcp_servers: _, api_key: __, ...copy } = exported.json() as Record<string, unknown>
    expect((await send('POST', '/api/agents/import', copy)).status).toBe(201)
    expect((await send('DELETE', '/api/agents/clerk')).status).toBe(200)
    const form = new FormData()
    form.set('file', new Blob([JSON.stringify(copy)]), 'clerk.json')
    const imported = await fetch(`${server.url}/api/agents/import`, { method: 'POST', body: form })
    expect([imported.status, await imported.json()]).toEqual([201, { status: 'ok' }])
    expect((await send('DELETE', '/api/agents/clerk')).status).toBe(200)
    expect((await send('GET', '/api/agents/clerk')).json()).toEqual({ error: 'Agent not found: clerk' })
  })

  it.each([
    [{ name: 'skills' }, /^name: "skills" is a part of the paths/],
    [{ name: '../x' }, /^Invalid request body: name/],
    [{ name: 'a ' }, /^Invalid request body: name/],
    [{ name: 'a', connectors: [{ type: 'slack' }] }, /^connectors: .*slack/],
    [{ name: 'a', actions: [{ name: 'browse' }] }, /^actions: .*browse/],
    [{ name: 'a', mcp_stdio_servers: [{ cmd: 'sh' }] }, /^mcp_stdio_servers: only the file of a model names programs/],
    [{ name: 'a', mcp_servers: [{ url: 'file:///x' }] }, /mcp_servers/],
  ])('refuses %j by name', async (fields, message) => {
    const reply = await send('POST', '/api/agents', fields)
    expect([reply.status, reply.json()]).toEqual([400, { error: expect.stringMatching(message) }])
  })

  it('an agent answers messages as jobs, and sees its conversation again', async () => {
    await makeAgent({ name: 'talker', system_prompt: 'You are a talker.' })
    const empty = await send('POST', '/api/agents/talker/chat', { message: ' ' })
    expect([empty.status, empty.json()]).toEqual([400, { error: 'Message cannot be empty' }])
    for (const message of ['First question', 'Second question']) {
      const sent = await send('POST', '/api/agents/talker/chat', { message })
      const reply = sent.json() as { status: string; message_id: string }
      expect([sent.status, reply.status]).toEqual([202, 'message_received'])
      expect(await untilEnded(reply.message_id)).toMatchObject({ status: 'completed', agent: 'talker', task_id: '' })
    }
    const last = server.records('m').findLast(({ event }) => event === 'start')
    expect(JSON.stringify(last?.request)).toMatch(/You are a talker.*First question.*It is done.*Second question/s)
    expect((await send('GET', '/api/agents/talker/status')).json()).toMatchObject({
      Name: 'talker',
      History: [{ message: 'Second question', result: 'It is done.' }, { message: 'First question' }],
    })
    expect((await send('GET', '/api/agents/talker/observables')).json()).toMatchObject({
      History: [{ progress: [{ type: 'status' }], completion: { status: 'completed' } }, {}],
    })
    expect((await send('DELETE', '/api/agents/talker/observables')).json()).toEqual({ status: 'ok' })
    expect((await send('GET', '/api/agents/talker/status')).json()).toEqual({ Name: 'talker', History: [] })
    const again = (await send('POST', '/api/agents/talker/chat', { message: 'Third question' })).json()
    await untilEnded((again as { message_id: string }).message_id)
    await send('DELETE', '/api/agents/talker')
    await makeAgent({ name: 'talker' })
    expect((await send('GET', '/api/agents/talker/status')).json()).toEqual({ Name: 'talker', History: [] })
  })

  it('the steps of an agent are followed as they happen', async () => {
    await makeAgent({ name: 'live' })
    const stream = await fetch(`${server.url}/api/agents/live/sse`)
    await send('POST', '/api/agents/live/chat', { message: 'Go' })
    let text = ''
    for await (const bytes of stream.body ?? []) {
      text += Buffer.from(bytes).toString()
      if (text.includes('"status":"completed"')) break
    }
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(names).toEqual([
      'json_message',
      'json_message_status',
      'observable_update',
      'json_message',
      'json_message_status',
    ])
    expect(text).toContain('"sender":"agent","content":"It is done."')
  })

  it('files are read inside the folder of the agent only', async () => {
    await makeAgent({ name: 'filer' })
    const folder = join(server.folder, 'data', 'agents', 'filer')
    await mkdir(join(folder, 'notes'), { recursive: true })
    await writeFile(join(folder, 'notes', 'a.txt'), 'A note')
    await symlink(join(server.folder, 'data'), join(folder, 'out'))
    const get = (path: string) => send('GET', `/api/agents/filer/files?path=${encodeURIComponent(path)}`)
    expect((await get('')).json()).toEqual({ files: [{ name: 'notes', type: 'folder', size: 0 }] })
    expect((await get('notes')).json()).toEqual({ files: [{ name: 'a.txt', type: 'file', size: 6 }] })
    const file = await get('notes/a.txt')
    expect([file.status, file.text, file.headers['content-disposition']]).toEqual([200, 'A note', 'attachment'])
    for (const path of ['..', '../../configuration', 'out', 'out/database.db', '/etc/passwd', 'a\0b']) {
      expect([path, (await get(path)).status]).toEqual([path, 403])
    }
    expect((await get('missing')).status).toBe(404)
  })

  // verifies pii:agents:skipped
  it('a request for an agent is not filtered, and the model that it asks keeps its filter', async () => {
    const pattern = { name: 'MAIL', match: 'ada@site[.]example' }
    await server.writeModelFile(
      'tickets.yaml',
      JSON.stringify({ name: 'tickets', backend: 'pattern', pii_detection: { patterns: [pattern] } }),
    )
    const answer = { rules: [{ rpc: 'Predict*', do: { text: 'Seen.' } }] }
    await server.model('guarded', answer, { pii: { enabled: true, detectors: ['tickets'] } })
    await server.model('plain', answer)
    await makeAgent({ name: 'over-guarded', model: 'guarded' })
    await makeAgent({ name: 'over-plain', model: 'plain' })
    await server.post('/api/settings', { pii_default_detectors: ['tickets'] })
    for (const model of ['over-guarded', 'over-plain']) {
      const reply = await server.chat(model, { messages: [{ role: 'user', content: 'Look at ada@site.example' }] })
      expect([model, reply.status, reply.text]).toEqual([model, 200, reply.text])
    }
    const asked = (model: string) =>
      JSON.stringify(server.records(model).flatMap(({ rpc, request }) => (rpc.startsWith('Predict') ? [request] : [])))
    expect(asked('guarded')).toContain('[REDACTED:')
    expect(asked('guarded')).not.toContain('ada@site.example')
    expect(asked('plain')).toContain('ada@site.example')
    await server.post('/api/settings', { pii_default_detectors: [] })
    const { events } = (await server.call('/api/pii/events')).json() as { events: { kind: string }[] }
    expect(events.filter(({ kind }) => kind === 'pii')).toHaveLength(1)
  })

  it('an agent is a model on every text route', async () => {
    await makeAgent({ name: 'speaker', system_prompt: 'Speak.' })
    const listed = (await server.call('/v1/models')).json() as { data: { id: string }[] }
    expect(listed.data.map(({ id }) => id)).toContain('speaker')
    const messages = [{ role: 'user', content: 'Say it' }]
    const said = 'It is done.'
    const chat = await server.chat('speaker')
    expect(chat.json()).toMatchObject({ model: 'speaker', choices: [{ message: { content: said } }] })
    const streamed = await server.chat('speaker', { stream: true })
    expect(streamed.text).toContain('data: [DONE]')
    const completion = await server.post('/v1/completions', { model: 'speaker', prompt: 'Say it' })
    expect(completion.json()).toMatchObject({ choices: [{ text: said }] })
    const message = await server.post('/v1/messages', { model: 'speaker', messages, max_tokens: 50 })
    expect(message.json()).toMatchObject({ content: [{ type: 'text', text: said }] })
    const response = await server.post('/v1/responses', { model: 'speaker', input: 'Say it' })
    expect(JSON.stringify(response.json())).toContain(said)
    const ollama = await server.post('/api/chat', { model: 'speaker:latest', messages, stream: false })
    expect(ollama.json()).toMatchObject({ message: { content: said } })
    const embedding = await server.post('/v1/embeddings', { model: 'speaker', input: 'x' })
    expect(embedding.status).toBe(501)
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect((await server.chat('speaker', { tools })).status).toBe(400)
  })

  it('an agent may not name an agent as its model', async () => {
    await makeAgent({ name: 'outer', model: 'inner' })
    await makeAgent({ name: 'inner', model: 'outer' })
    const reply = await server.chat('outer')
    expect([reply.status, JSON.stringify(reply.json())]).toEqual([400, expect.stringContaining('names the agent')])
  })

  it('an agent asks no agent through a router either', async () => {
    await server.writeModelFile('ring.yaml', 'name: ring\nrouter:\n  fallback: ring-agent\n  candidates: []\n')
    await makeAgent({ name: 'ring-agent', model: 'ring' })
    const reply = await server.chat('ring-agent')
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('asks no other agent')])
    const sent = await send('POST', '/api/agents/ring-agent/chat', { message: 'Hello' })
    const job = await untilEnded((sent.json() as { message_id: string }).message_id)
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('asks no other agent') })
  })

  it('a file of the same name counts', async () => {
    await makeAgent({ name: 'twin' })
    await server.model('twin', { rules: [{ rpc: 'Predict*', do: { text: 'From the file.' } }] })
    expect((await server.chat('twin')).json()).toMatchObject({ choices: [{ message: { content: 'From the file.' } }] })
  })
})

it('without agents their routes are absent', async () => {
  await using plain = await startTestServer({ flags: ['--disable-agents'] })
  expect((await plain.call('/api/agent/tasks')).status).toBe(404)
})
