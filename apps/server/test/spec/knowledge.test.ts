import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const BASE = '/api/agents/collections'
const keys = { known_usecases: ['embeddings'], embeddings: true }

let server: TestServer
let origin: Server
let page = '<html><h1>Tides</h1><p>The moon moves the sea.</p></html>'
let status = 200

beforeAll(async () => {
  server = await startTestServer({
    env: { SVC_AGENT_POOL_EMBEDDING_MODEL: 'e', SVC_AGENT_POOL_ENABLE_SKILLS: 'true' },
    flags: ['--content-url-allow', '127.0.0.1'],
  })
  await server.model('e', { embeddingDimension: 64 }, keys)
  origin = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(page)
  })
  await new Promise<void>((resolve) => {
    origin.listen(0, '127.0.0.1', resolve)
  })
})
afterAll(async () => {
  origin.close()
  await server.close()
})

const get = async (path: string) => {
  const reply = await server.call(`${BASE}${path}`)
  return { status: reply.status, body: reply.json() as Record<string, unknown> }
}
const send = async (method: string, path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${server.url}${BASE}${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}
async function upload(collection: string, name: string, text: string) {
  const form = new FormData()
  form.set('file', new File([text], name))
  const response = await fetch(`${server.url}${BASE}/${collection}/upload`, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const indexed = (collection: string) =>
  eventually(async () => {
    const { details } = (await get(`/${collection}/entries`)).body as { details: { status: string }[] }
    expect(details.every(({ status: state }) => state !== 'in_progress')).toBe(true)
    return details
  })

describe('collections', () => {
  // verifies collections:route:manage
  it('are made, filled, searched, read and emptied', async () => {
    expect(await send('POST', '', { name: 'notes' })).toEqual({ status: 201, body: { status: 'ok', name: 'notes' } })
    expect(await send('POST', '', { name: 'notes' })).toMatchObject({ status: 409, body: { error: /exists already/ } })
    for (const name of ['', '..', 'a/b', 'a\0', ' a', 'x'.repeat(129)])
      expect((await send('POST', '', { name })).status, name).toBe(400)
    expect(await get('')).toEqual({ status: 200, body: { collections: ['notes'], count: 1 } })

    expect(await upload('notes', 'rivers.md', '# Rivers\n\nThe Nile flows to the sea.')).toEqual({
      status: 200,
      body: { status: 'ok', filename: 'rivers.md' },
    })
    expect(await upload('notes', '../letter.rtf', String.raw`{\rtf1 Bread needs flour}`)).toMatchObject({
      body: { filename: 'letter.rtf' },
    })
    expect(await upload('notes', 'rivers.md', 'again')).toMatchObject({ status: 409 })
    expect(await upload('notes', 'a.zip', 'PK\x03\x04')).toMatchObject({ status: 415 })
    expect(await upload('none', 'a.txt', 'a')).toMatchObject({ status: 404 })
    expect(await indexed('notes')).toMatchObject([
      { entry: 'rivers.md', status: 'completed', chunk_count: 1 },
      { entry: 'letter.rtf', status: 'completed' },
    ])

    const found = await send('POST', '/notes/search', { query: 'Which river flows to the sea?', max_results: 1 })
    expect(found).toMatchObject({
      status: 200,
      body: { count: 1, results: [{ content: /Nile/, metadata: { entry: 'rivers.md' } }] },
    })
    expect(await get('/notes/entries/letter.rtf')).toEqual({
      status: 200,
      body: { content: 'Bread needs flour', chunk_count: 1 },
    })
    expect((await server.call(`${BASE}/notes/entries-raw/letter.rtf`)).text).toBe(String.raw`{\rtf1 Bread needs flour}`)
    expect((await get('/notes/entries/nothing')).status).toBe(404)

    expect(await send('DELETE', '/notes/entry/delete', { entry: 'rivers.md' })).toEqual({
      status: 200,
      body: { remaining_entries: ['letter.rtf'], count: 1 },
    })
    expect((await send('POST', '/notes/reset', {})).body).toEqual({ status: 'ok' })
    expect((await get('/notes/entries')).body).toEqual({ entries: [], count: 0, details: [] })
    expect((await server.call('/v1/files')).json()).toMatchObject({ data: [] })
    expect((await send('DELETE', '/notes', {})).status).toBe(200)
    expect((await get('')).body).toEqual({ collections: [], count: 0 })
  })

  it('belong to an account', async () => {
    await send('POST', '', { name: 'own' })
    expect((await get('?user_id=other')).body).toEqual({ collections: [], count: 0 })
    expect((await get('/own/entries?user_id=other')).status).toBe(404)
    await send('DELETE', '/own', {})
  })

  it('fetch their sources, and keep what they had when a fetch fails', async () => {
    await send('POST', '', { name: 'web' })
    const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/tides`
    expect(await send('POST', '/web/sources', { url, update_interval: 5 })).toEqual({
      status: 200,
      body: { status: 'ok' },
    })
    expect((await get('/web/sources')).body).toMatchObject({ count: 1, sources: [{ url, update_interval: 5 }] })
    const [entry] = (await indexed('web')) as unknown as { entry: string }[]
    expect((await get(`/web/entries/${entry?.entry}`)).body).toMatchObject({
      content: '# Tides\n\nThe moon moves the sea.',
    })
    page = '<html><p>Spring tides are high.</p></html>'
    expect((await send('POST', '/web/sources', { url })).status).toBe(200)
    await indexed('web')
    expect((await get(`/web/entries/${entry?.entry}`)).body).toMatchObject({ content: 'Spring tides are high.' })
    status = 503
    expect((await send('POST', '/web/sources', { url })).status).toBe(502)
    expect((await get('/web/entries')).body).toMatchObject({ count: 1 })
    for (const wrong of ['file:///etc/passwd', 'x', 'http://169.254.169.254/'])
      expect((await send('POST', '/web/sources', { url: wrong })).status, wrong).toBe(400)
    expect((await send('DELETE', '/web/sources', { url })).status).toBe(200)
    expect((await get('/web/entries')).body).toMatchObject({ count: 0 })
  })
})

describe('skills', () => {
  const SKILLS = '/api/agents/skills'
  const at = async (method: string, path: string, body?: object) => {
    const isForm = body instanceof FormData
    const reply = await fetch(`${server.url}${SKILLS}${path}`, {
      method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(isForm || body === undefined ? {} : { headers: { 'content-type': 'application/json' } }),
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const isJson = reply.headers.get('content-type')?.startsWith('application/json') === true
    return { status: reply.status, bytes, body: isJson ? (JSON.parse(bytes.toString()) as unknown) : undefined }
  }
  const form = (file: Blob, name: string, path?: string) => {
    const made = new FormData()
    made.set('file', file, name)
    if (path !== undefined) made.set('path', path)
    return made
  }
  const draft = {
    name: 'make-tea',
    description: 'Makes tea',
    content: 'Boil.',
    license: 'MIT',
    'allowed-tools': 'Read',
  }

  // verifies skills:route:manage
  it('are managed over HTTP', async () => {
    const shown = { ...draft, readOnly: false }
    expect(await at('POST', '', draft)).toMatchObject({ status: 201, body: shown })
    expect(await at('POST', '', draft)).toMatchObject({ status: 409, body: { error: /already exists/ } })
    expect(await at('POST', '', { ...draft, name: '../x' })).toMatchObject({ status: 400 })
    expect(await at('GET', '')).toMatchObject({ body: [shown] })
    expect(await at('GET', '/search?q=BOIL')).toMatchObject({ body: [shown] })
    expect(await at('GET', '/config')).toMatchObject({ body: { enabled: true, skills_dir: /agents.skills$/ } })
    expect(await at('PUT', '/make-tea', { description: 'Makes tea', content: 'Wait.' })).toMatchObject({ status: 200 })

    const script = form(new Blob(['echo hot']), 'boil.sh', 'scripts/boil.sh')
    expect(await at('POST', '/make-tea/resources', script)).toMatchObject({
      status: 201,
      body: { path: 'scripts/boil.sh' },
    })
    expect(await at('POST', '/make-tea/resources', form(new Blob(['x']), 'a', '../../x'))).toMatchObject({
      status: 400,
    })
    await at('PUT', '/make-tea/resources/scripts/boil.sh', { content: 'echo cold' })
    expect((await at('GET', '/make-tea/resources/scripts/boil.sh')).bytes.toString()).toBe('echo cold')
    expect(await at('GET', '/make-tea/resources/scripts/boil.sh?encoding=base64')).toMatchObject({
      body: { content: Buffer.from('echo cold').toString('base64'), encoding: 'base64', size: 9 },
    })
    expect(await at('GET', '/make-tea/resources')).toMatchObject({
      body: { scripts: [{ name: 'boil.sh', readable: true }], references: [], assets: [], others: [] },
    })

    const archive = await at('GET', '/export/make-tea')
    expect((await at('DELETE', '/make-tea')).body).toEqual({ status: 'ok' })
    expect((await at('GET', '/make-tea')).status).toBe(404)
    const imported = await at('POST', '/import', form(new Blob([new Uint8Array(archive.bytes)]), 'x.tar.gz'))
    expect(imported).toMatchObject({ status: 201, body: { name: 'make-tea', content: 'Wait.' } })
    expect((await at('DELETE', '/make-tea/resources/scripts/boil.sh')).status).toBe(200)
    expect((await at('DELETE', '/make-tea/resources/scripts/boil.sh')).status).toBe(404)
    expect((await at('POST', '/import', form(new Blob(['rubbish']), 'x.zip'))).status).toBeGreaterThanOrEqual(400)
  })

  it('come from no git repository', async () => {
    expect((await server.call('/api/agents/git-repos')).json()).toEqual([])
    const refused = await server.post('/api/agents/git-repos', { url: 'https://host.example/a.git' })
    expect([refused.status, refused.json()]).toMatchObject([501, { error: /clone them yourself/ }])
  })
})

describe('an agent', () => {
  const chat = async (agent: string) => {
    const reply = await server.post('/v1/chat/completions', {
      model: agent,
      messages: [{ role: 'user', content: 'What moves the sea?' }],
    })
    return (reply.json() as { choices: { message: Record<string, unknown> }[] }).choices[0]?.message
  }
  const asks = (name: string, given: Record<string, unknown>) => ({
    rules: [
      { rpc: 'Predict*' as const, contains: 'tool\n', do: { text: 'The moon.' } },
      { rpc: 'Predict*' as const, do: { text: '', toolCalls: [{ name, arguments: given }] } },
    ],
  })

  it('searches its collections', async () => {
    await server.model('searcher', asks('search_collection', { query: 'the sea' }))
    await send('POST', '', { name: 'sailor' })
    await upload('sailor', 'tides.txt', 'The moon moves the sea.')
    await indexed('sailor')
    const made = await server.post('/api/agents', { name: 'sailor', model: 'searcher', enable_kb: true })
    expect(made.status, made.text).toBe(201)
    expect(await chat('sailor')).toMatchObject({
      content: 'The moon.',
      mcp_tool_calls: [{ tool: 'search_collection', result: expect.stringContaining('The moon moves the sea.') }],
    })
    await server.post('/api/agents', { name: 'lost', model: 'searcher', collections: ['nowhere'] })
    const refused = await server.post('/v1/chat/completions', {
      model: 'lost',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.text).toContain('nowhere')
  })

  it('knows its skills and reads them', async () => {
    await server.model('reader', asks('read_skill', { name: 'tides' }))
    const content = '---\nname: tides\ndescription: Explains the sea.\n---\nThe moon moves it.\n'
    const skill = await server.post('/api/agents/skills', { name: 'tides', description: 'Explains the sea.', content })
    expect(skill.status, skill.text).toBe(201)
    await server.post('/api/agents', { name: 'teacher', model: 'reader', enable_skills: true })
    expect(await chat('teacher')).toMatchObject({
      mcp_tool_calls: [{ tool: 'read_skill', result: expect.stringContaining('The moon moves') }],
    })
    await server.post('/api/agents', { name: 'pupil', model: 'reader' })
    expect(await chat('pupil')).not.toHaveProperty('mcp_tool_calls')
  })
})
