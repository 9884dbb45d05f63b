import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCopyFolder } from '../../src/catalog/copy-folders.ts'
import { readServerId } from '../../src/operations/server-id.ts'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const send = (path: string, body: unknown, method = 'POST') =>
  fetch(`${server.url}${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const copy = (model: string, body: unknown) => send(`/api/models/copy/${model}`, body)
const listFolder = () => readdir(join(server.folder, 'models'))

verifies('model-admin:built-in:copy', 'a built-in detector is copied, and gets a policy of its own', async () => {
  expect((await copy('demo-ner', { name: 'people' })).status).toBe(200)
  const find = async () => {
    const reply = await send('/api/pii/redact', { text: 'Ada Lovelace lives in London.', detectors: ['people'] })
    return [reply.status, await reply.text()] as const
  }
  const [status, text] = await find()
  expect([status, text]).toEqual([200, expect.stringContaining('REDACTED')])
  const policy = { pii_detection: { entity_actions: { PER: 'block' } } }
  const reply = await send('/api/models/config-json/people', policy, 'PATCH')
  expect(reply.status).toBe(200)
  expect((await find())[0]).toBe(400)
})

it('a chat model and an embedding model work as copies too', async () => {
  expect((await copy('demo', { name: 'team/chat' })).status).toBe(200)
  expect((await copy('demo-embed', { name: 'vectors' })).status).toBe(200)
  const chat = { model: 'team/chat', max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] }
  expect((await send('/v1/chat/completions', chat)).status).toBe(200)
  expect((await send('/v1/embeddings', { model: 'vectors', input: 'a cat' })).status).toBe(200)
})

it('a copy that cannot be made writes nothing, and leaves alone what is there', async () => {
  const folder = join(server.folder, 'models')
  await writeFile(join(folder, 'taken.yaml'), 'name: taken\nbackend: llama\n')
  await mkdir(join(folder, 'mine'))
  const before = await listFolder()
  for (const [model, body, status] of [
    ['demo-ner', { name: 'demo-embed' }, 409],
    ['demo-ner', { name: 'taken' }, 409],
    ['demo-ner', { name: 'mine' }, 409],
    ['demo-ner', { name: '../out' }, 400],
    ['demo-ner', { name: '' }, 400],
    ['demo-ner', { name: 7 }, 400],
    ['demo-ner', {}, 400],
    ['taken', { name: 'fresh' }, 404],
    ['gone', { name: 'fresh' }, 404],
  ] as const)
    expect((await copy(model, body)).status, `${model} ${JSON.stringify(body)}`).toBe(status)
  expect(await listFolder()).toEqual(before)
  expect(await readdir(join(folder, 'mine'))).toEqual([])
})

it('a copy leaves alone the weights of every other model, and no trace of its work', async () => {
  const folder = join(server.folder, 'models')
  const others = ['spare', 'spare.gguf', 'team__spare', 'team__spare.gguf', '.spare', '.copying-'].flatMap((name) => [
    join(`${name}.copying`, 'model.onnx'),
    `${name}.tmp`,
  ])
  for (const other of others) {
    await mkdir(dirname(join(folder, other)), { recursive: true })
    await writeFile(join(folder, other), 'the weights of another model')
  }
  const before = new Set(await listFolder())
  expect((await copy('demo-ner', { name: 'spare' })).status).toBe(200)
  expect((await copy('demo', { name: 'team/spare' })).status).toBe(200)
  const added = (await listFolder()).filter((name) => !before.has(name))
  expect(added.sort()).toEqual(['spare', 'spare.yaml', 'team__spare.gguf', 'team__spare.yaml'])
  for (const other of others)
    expect(await readFile(join(folder, other), 'utf8'), other).toBe('the weights of another model')
})

it('a field of the body that the route does not know is named', async () => {
  const before = await listFolder()
  for (const field of ['overwrite', 'force', 'names', 'Name', 'weights']) {
    const reply = await copy('demo-ner', { name: 'fresh', [field]: true })
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(field)])
  }
  expect(await listFolder()).toEqual(before)
})

verifies(
  'model-admin:built-in:killed-copies',
  'a copy that a kill has cut leaves nothing after the next start',
  async () => {
    await using dir = await tempDir()
    const first = await startTestServer({ folder: dir.path })
    const serverId = await readServerId(dir.join('data'))
    const folder = await makeCopyFolder({ modelsPath: first.modelsPath, serverId })
    const other = await makeCopyFolder({ modelsPath: first.modelsPath, serverId: 'another server' })
    for (const each of [folder, other]) await writeFile(join(each, 'weights'), 'the first half')
    await first.close()
    await using second = await startTestServer({ folder: dir.path })
    const left = (await readdir(second.modelsPath)).filter((name) => name.startsWith('.copying-'))
    expect(left).toEqual([basename(other)])
  },
)
