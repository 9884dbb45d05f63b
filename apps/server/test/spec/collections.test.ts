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
    env: { SVC_AGENT_POOL_EMBEDDING_MODEL: 'e' },
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
