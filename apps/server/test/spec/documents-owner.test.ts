import { readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { startAccountsWorld } from '../support/accounts-world.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const keys = { known_usecases: ['embeddings'], embeddings: true }
const STORES = '/v1/vector_stores'
const as = (name: string) => ({ authorization: `Bearer ${name}` })

interface Named {
  readonly id: string
}

async function upload(server: TestServer, text: string, headers: Record<string, string>): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new File([text], 'note.txt'))
  const reply = await fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers })
  expect(reply.status).toBe(200)
  return ((await reply.json()) as Named).id
}

async function makeStore(server: TestServer, headers: Record<string, string>, fields: object = {}): Promise<string> {
  const reply = await server.post(STORES, { name: 'own', ...fields }, headers)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  return (reply.json() as Named).id
}

async function untilDone(server: TestServer, store: string, headers: Record<string, string>): Promise<void> {
  await eventually(async () => {
    const reply = await server.call(`${STORES}/${store}`, { headers })
    expect(reply.json()).toMatchObject({ status: 'completed' })
  })
}

const listBytes = async (server: TestServer): Promise<string[]> => {
  const names = await readdir(join(server.folder, 'data/uploaded-files')).catch(() => [])
  return names.filter((name) => name !== '.database')
}

// verifies files:owner:others
it('hides files and stores from others, and shows all of them to admins', async () => {
  await using server = await startTestServer({ authenticator: createPeople() })
  await server.model('e', {}, keys)
  const file = await upload(server, 'a note of ada', as('ada'))
  const other = await upload(server, 'a note of bob', as('bob'))
  const store = await makeStore(server, as('ada'), { file_ids: [file] })
  await untilDone(server, store, as('ada'))
  const batch = (await server.post(`${STORES}/${store}/file_batches`, { file_ids: [file] }, as('ada'))).json() as Named
  const ways: readonly (readonly [string, string, object?])[] = [
    ['GET', `/v1/files/${file}`],
    ['GET', `/v1/files/${file}/content`],
    ['DELETE', `/v1/files/${file}`],
    ['GET', `${STORES}/${store}`],
    ['POST', `${STORES}/${store}`, { name: 'taken' }],
    ['DELETE', `${STORES}/${store}`],
    ['POST', `${STORES}/${store}/search`, { query: 'note' }],
    ['POST', `${STORES}/${store}/files`, { file_id: other }],
    ['GET', `${STORES}/${store}/files`],
    ['GET', `${STORES}/${store}/files/${file}`],
    ['POST', `${STORES}/${store}/files/${file}`, { attributes: {} }],
    ['DELETE', `${STORES}/${store}/files/${file}`],
    ['GET', `${STORES}/${store}/files/${file}/content`],
    ['POST', `${STORES}/${store}/file_batches`, { file_ids: [other] }],
    ['GET', `${STORES}/${store}/file_batches/${batch.id}`],
    ['POST', `${STORES}/${store}/file_batches/${batch.id}/cancel`],
    ['GET', `${STORES}/${store}/file_batches/${batch.id}/files`],
    ['POST', STORES, { file_ids: [file] }],
  ]
  const unknown = '0'.repeat(44)
  const hide = (text: string): string =>
    text.replaceAll(new RegExp(`${file.slice(5)}|${store.slice(3)}|${unknown}`, 'g'), '*')
  for (const [method, path, body] of ways) {
    const ask = (at: string) =>
      server.call(at, {
        method,
        headers: { ...as('bob'), 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const reply = await ask(path)
    expect([404, 400], `${method} ${path}`).toContain(reply.status)
    if (path === STORES) continue
    // Just as unknown ids are.
    const absent = await ask(path.replace(file, `file-${unknown}`).replace(store, `vs_${unknown}`))
    expect([absent.status, hide(absent.text)]).toEqual([reply.status, hide(reply.text)])
  }
  const list = async (path: string, name: string) =>
    ((await server.call(path, { headers: as(name) })).json() as { data: Named[] }).data.map(({ id }) => id)
  expect(await list('/v1/files', 'bob')).toEqual([other])
  expect(await list(STORES, 'bob')).toEqual([])
  expect((await list('/v1/files', 'root')).sort()).toEqual([file, other].sort())
  expect(await list(STORES, 'root')).toEqual([store])
  const found = await server.post(`${STORES}/${store}/search`, { query: 'note of ada' }, as('root'))
  expect(found.json()).toMatchObject({ data: [{ file_id: file }] })
  expect((await server.call(`/v1/files/${file}`, { method: 'DELETE', headers: as('root') })).status).toBe(200)
  expect(await listBytes(server)).toEqual([other.slice(5)])
})

// verifies files:usage:counted
it('counts embeddings for their account, and needs the right to the model', async () => {
  await using world = await startAccountsWorld()
  await world.model('e', {}, keys)
  const ada = await world.member('ada')
  const { headers } = ada
  const file = await upload(world, 'seven words in a note for counting', { ...headers })
  const store = await makeStore(world, headers, { file_ids: [file], embedding_model: 'e' })
  await untilDone(world, store, headers)
  expect((await world.post(`${STORES}/${store}/search`, { query: 'seven words' }, headers)).status).toBe(200)
  await eventually(async () => {
    const report = (await world.call('/api/auth/usage?period=day', { headers })).json() as {
      usage: { model: string; prompt_tokens: number; request_count: number }[]
    }
    const own = report.usage.filter(({ model }) => model === 'e')
    expect(own.reduce((sum, row) => sum + row.request_count, 0)).toBe(2)
    expect(own.reduce((sum, row) => sum + row.prompt_tokens, 0)).toBe(9)
  })
  const put = async (right: string, body: object) => {
    const path = `/api/auth/admin/users/${ada.id}/${right}`
    const reply = await world.call(path, {
      method: 'PUT',
      headers: { ...world.admin.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  }
  // A file that waits fails by the quota that holds when its turn comes; a search is refused at once.
  await put('quotas', { model: 'e', max_requests: 2, max_total_tokens: null, window: '1d' })
  const search = () => world.post(`${STORES}/${store}/search`, { query: 'seven words' }, headers)
  await eventually(async () => {
    await search()
    expect((await search()).status).toBe(429)
  })
  await put('models', { enabled: true, models: ['other'] })
  const refused = [
    await search(),
    await world.post(`${STORES}/${store}/files`, { file_id: file }, headers),
    await world.post(STORES, { embedding_model: 'e' }, headers),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  await put('permissions', { stores: false })
  for (const path of ['/v1/files', STORES]) expect((await world.call(path, { headers })).status).toBe(403)
  // What an account has goes with it.
  expect(await listBytes(world)).toHaveLength(1)
  const path = `/api/auth/admin/users/${ada.id}`
  expect((await world.call(path, { method: 'DELETE', headers: world.admin.headers })).status).toBe(200)
  await eventually(async () => {
    const stores = await world.call(STORES, { headers: world.admin.headers })
    expect([await listBytes(world), stores.json()]).toEqual([[], expect.objectContaining({ data: [] })])
  })
})

// verifies files:limit:account
it('bounds the files of an account', async () => {
  await using server = await startTestServer({
    authenticator: createPeople(),
    flags: ['--uploaded-files-limit', '100B'],
  })
  const big = 'x'.repeat(60)
  const first = await upload(server, big, as('ada'))
  await upload(server, big, as('bob'))
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new File([big], 'b.txt'))
  const send = () => fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers: as('ada') })
  expect((await send()).status).toBe(507)
  expect(await listBytes(server)).toHaveLength(2)
  expect((await server.call(`/v1/files/${first}`, { method: 'DELETE', headers: as('ada') })).status).toBe(200)
  expect((await send()).status).toBe(200)
})

// verifies files:upload:nothing-left, files:index:resumes
it('leaves nothing of broken uploads, and goes on after a restart', async () => {
  await using folder = await tempDir('svc-documents-')
  const options = { folder: folder.path }
  let store = ''
  {
    await using server = await startTestServer(options)
    await server.model('e', { embeddingDimension: 32, rules: [{ rpc: 'Embedding', do: { hang: true } }] }, keys)
    const text = 'A note with one sentence about boats. '.repeat(400)
    const files = [await upload(server, text, {}), await upload(server, 'the second note', {})]
    store = await makeStore(server, {}, { file_ids: files, embedding_model: 'e' })
    // A client leaves in the middle of its form.
    const port = Number(new URL(server.url).port)
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST /v1/files HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 999999\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="half.txt"\r\n\r\n${'half '.repeat(1000)}`,
    )
    const drafts = join(folder.path, 'data/tmp/forms')
    const listDrafts = () => readdir(drafts).catch(() => [])
    await eventually(async () => expect(await listDrafts()).toHaveLength(1))
    socket.destroy()
    await eventually(async () => expect(await listDrafts()).toEqual([]))
    expect(await listBytes(server)).toHaveLength(2)
    await eventually(() => expect(server.records('e').length).toBeGreaterThan(0))
    await server.model('e', { embeddingDimension: 32 }, keys)
    expect((await server.call(`${STORES}/${store}`)).json()).toMatchObject({ file_counts: { in_progress: 2 } })
  }
  // What a kill between the bytes and their row leaves.
  await writeFile(join(folder.path, 'data/uploaded-files', 'a'.repeat(44)), 'orphan')
  await using server = await startTestServer(options)
  await untilDone(server, store, {})
  expect(await listBytes(server)).toHaveLength(2)
  const found = await server.post(`${STORES}/${store}/search`, { query: 'sentence about boats', max_num_results: 50 })
  const { data } = found.json() as { data: { content: { text: string }[] }[] }
  expect(data.length).toBeGreaterThan(5)
  expect(await server.call(`${STORES}/${store}`).then((reply) => reply.json())).toMatchObject({
    file_counts: { completed: 2, total: 2 },
  })
})
