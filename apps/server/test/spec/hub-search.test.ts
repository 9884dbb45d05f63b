import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const FOUND = [
  { id: 'owner/repo-GGUF', pipeline_tag: 'text-generation', downloads: 12, likes: 3 },
  { id: 'owner/plain', downloads: 'many' },
  { id: '../../etc' },
  { id: 'a/b/c' },
  { id: 7 },
  'text',
  null,
]

let server: TestServer
let answer: { status: number; body: string }
const asked: string[] = []
const hub = createServer((request, response) => {
  asked.push(String(request.url))
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve))
  const { port } = hub.address() as AddressInfo
  server = await startTestServer({ env: { HF_ENDPOINT: `http://127.0.0.1:${port}` } })
})
afterAll(async () => {
  await server.close()
  hub.close()
})

const search = (query: string) => server.call(`/api/models/hub-search${query}`)

verifies('model-admin:hub:search', 'the hub is searched for words, and odd entries are left out', async () => {
  answer = { status: 200, body: JSON.stringify(FOUND) }
  const reply = await search('?q=small%20%26%20fast')
  expect([reply.status, reply.json()]).toEqual([
    200,
    {
      models: [
        {
          id: 'owner/repo-GGUF',
          task: 'text-generation',
          downloads: 12,
          likes: 3,
          uri: 'huggingface://owner/repo-GGUF',
        },
        { id: 'owner/plain', task: '', downloads: 0, likes: 0, uri: 'huggingface://owner/plain' },
      ],
    },
  ])
  expect(asked.at(-1)).toBe('/api/models?search=small+%26+fast&filter=gguf&sort=downloads&limit=20')
})

it.each(['', '?q=', '?q=%20%20', `?q=${'x'.repeat(201)}`])('a search without words asks nobody: %j', async (query) => {
  const before = asked.length
  expect((await search(query)).status).toBe(400)
  expect(asked).toHaveLength(before)
})

it.each([
  [500, '{}'],
  [200, '{}'],
  [200, 'no json'],
  [404, '[]'],
])('a hub that answers %i %j is 502', async (status, body) => {
  answer = { status, body }
  expect((await search('?q=x')).status).toBe(502)
})
