import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startUpstream, tempDir, type Upstream } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const REPLY = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'ho' }, finish_reason: 'stop' }],
})
const yaml = { 'content-type': 'application/yaml' }

let server: TestServer
let upstream: Upstream
let outside: Awaited<ReturnType<typeof tempDir>>
/** A key file of the operator, outside every folder of the server. */
let operatorKey: string

beforeAll(async () => {
  server = await startTestServer({ env: { SVC_OIDC_CLIENT_SECRET: 'own-secret', UP_KEY: 'sk-variable' } })
  upstream = await startUpstream()
  upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: REPLY })
  outside = await tempDir('svc-outside-')
  operatorKey = outside.join('operator.key')
  await writeFile(operatorKey, 'sk-operator')
  await mkdir(join(server.configDir, 'secrets'))
  await writeFile(secret('good'), 'sk-good')
  await symlink(operatorKey, secret('link'))
  await symlink(outside.path, secret('folder'))
})

afterAll(async () => {
  await server.close()
  await upstream[Symbol.asyncDispose]()
  await outside.close()
})

function secret(name: string): string {
  return join(server.configDir, 'secrets', name)
}

function describeModel(name: string, proxy: Readonly<Record<string, unknown>>): string {
  const target = { upstream_url: `${upstream.origin}/v1/chat/completions`, ...proxy }
  return stringify({ name, backend: 'cloud-proxy', known_usecases: ['chat'], proxy: target })
}

/** The key that the upstream gets from a model; the status where it gets nothing. */
async function sentKey(model: string): Promise<unknown> {
  const before = upstream.requests.length
  const { status } = await server.chat(model)
  return upstream.requests.length === before ? status : upstream.requests.at(-1)?.header('authorization')[0]
}

const send = (path: string, body: string, method = 'POST') => server.call(path, { method, body, headers: yaml })
const patch = (name: string, body: unknown) =>
  server.call(`/api/models/config-json/${name}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

describe('a key file that is named over the API', () => {
  verifies('proxy:key:file-over-api', 'lies below the secrets folder, for an import, an edit and a patch', async () => {
    const given = (name: string, file: string) => send('/models/import', describeModel(name, { api_key_file: file }))
    expect((await given('good', secret('good'))).status).toBe(200)
    expect(await sentKey('good')).toBe('Bearer sk-good')
    expect((await given('later', secret('not-there-yet'))).status).toBe(200)
    const bad = [
      operatorKey,
      secret('link'),
      secret('folder/operator.key'),
      secret('../api_keys.json'),
      secret('../secrets'),
      join(server.configDir, 'secrets-of-others'),
      '/proc/self/environ',
      'relative.key',
      '~/key',
    ]
    for (const [index, file] of bad.entries()) {
      const reply = await given(`bad-${index}`, file)
      expect([file, reply.status, reply.json()]).toEqual([
        file,
        403,
        expect.objectContaining({ error: expect.stringContaining('the key file cannot be used') }),
      ])
      for (const change of [
        await send('/models/edit/good', describeModel('good', { api_key_file: file })),
        await send('/models/edit/good', describeModel('renamed', { api_key_file: file })),
        await patch('good', { proxy: { api_key_file: file } }),
        await patch('good', { proxy: null, '<<': { proxy: { upstream_url: upstream.origin, api_key_file: file } } }),
      ]) {
        expect([file, change.status]).toEqual([file, 403])
      }
    }
    expect(await sentKey('good')).toBe('Bearer sk-good')
  })

  it.each([
    ['an anchor', (file: string) => `x: &f ${file}\nproxy: {upstream_url: "URL", api_key_file: *f}`],
    ['a merge', (file: string) => `x: &p {api_key_file: ${file}}\nproxy: {<<: *p, upstream_url: "URL"}`],
    ['a merge at the top', (file: string) => `<<: {proxy: {upstream_url: "URL", api_key_file: ${file}}}`],
    ['quotes and escapes', (file: string) => `"pr\\u006fxy": {upstream_url: "URL", "api_key\\x5ffile": "${file}"}`],
    ['JSON', (file: string) => `proxy: {"upstream_url": "URL", "api_key_file": "${file}"}`],
    ['blanks', (file: string) => `proxy:\n  upstream_url: URL\n  api_key_file: |\n    ${file}`],
  ])('is found behind %s', async (_what, write) => {
    const text = write(operatorKey).replace('URL', `${upstream.origin}/v1/chat/completions`)
    const reply = await send('/models/import', `name: hidden\nbackend: cloud-proxy\nknown_usecases: [chat]\n${text}\n`)
    expect(reply.status).toBe(403)
    expect(await sentKey('hidden')).toBe(404)
  })
})

describe('a file with several models', () => {
  const list = (...models: readonly string[]) => models.map((text) => text.trimEnd()).join('\n---\n')

  it('is imported by nobody, and no model of it escapes the look at its key file', async () => {
    const [one, two] = [describeModel('one', {}), describeModel('two', { api_key_file: operatorKey })]
    for (const text of [
      list(one, two),
      stringify([
        { name: 'one', backend: 'mock' },
        { name: 'two', backend: 'mock' },
      ]),
    ]) {
      const reply = await send('/models/import', text)
      expect([reply.status, reply.json()]).toEqual([
        400,
        expect.objectContaining({ error: expect.stringContaining('several models') }),
      ])
    }
    await send('/models/import', one)
    expect((await send('/models/edit/one', list(one, two))).status).toBe(400)
    expect(await sentKey('two')).toBe(404)
  })

  it('keeps the key files that its operator named, each for its upstream', async () => {
    const [three, four] = [describeModel('three', {}), describeModel('four', { api_key_file: operatorKey })]
    await server.writeModelFile('several.yaml', list(three, four))
    expect([await sentKey('three'), await sentKey('four')]).toEqual([undefined, 'Bearer sk-operator'])
    expect((await patch('three', { pinned: true })).status).toBe(200)
    expect((await patch('three', { proxy: { api_key_file: outside.join('other') } })).status).toBe(403)
    expect((await patch('four', { proxy: { upstream_url: 'https://evil.example' } })).status).toBe(403)
    const moved = describeModel('five', { api_key_file: operatorKey, upstream_url: 'https://evil.example' })
    expect((await send('/models/edit/three', list(three, four, moved))).status).toBe(403)
    expect((await send('/models/edit/three', list(three, four, describeModel('six', {})))).status).toBe(200)
    expect([await sentKey('six'), await sentKey('four')]).toEqual([undefined, 'Bearer sk-operator'])
    expect((await send('/models/edit/six', list(three, describeModel('good', {})))).status).toBe(409)
    expect((await server.post('/api/copy', { source: 'four', destination: 'seven' })).status).toBe(200)
    expect(await sentKey('seven')).toBe('Bearer sk-operator')
    expect(await readFile(join(server.modelsPath, 'seven.yaml'), 'utf8')).not.toContain('three')
  })
})

describe('a model file of an operator', () => {
  verifies('proxy:key:file-of-operator', 'names any key file, and keeps it through changes over the API', async () => {
    await server.writeModelFile('own.yaml', describeModel('own', { api_key_file: operatorKey }))
    expect(await sentKey('own')).toBe('Bearer sk-operator')
    expect((await patch('own', { pinned: true })).status).toBe(200)
    expect((await patch('own', { proxy: { upstream_model: 'big' } })).status).toBe(200)
    expect(await sentKey('own')).toBe('Bearer sk-operator')
    expect((await server.post('/api/copy', { source: 'own', destination: 'copy' })).status).toBe(200)
    expect(await sentKey('copy')).toBe('Bearer sk-operator')
    const text = describeModel('moved', { api_key_file: operatorKey, upstream_model: 'small' })
    expect((await send('/models/edit/own', text)).status).toBe(200)
    expect(await sentKey('moved')).toBe('Bearer sk-operator')
  })

  it('lends its key to no other upstream and to no other file', async () => {
    await using evil = await startUpstream()
    await server.writeModelFile('lent.yaml', describeModel('lent', { api_key_file: operatorKey }))
    await server.post('/api/copy', { source: 'lent', destination: 'lent-copy' })
    const moves = { upstream_url: `${evil.origin}/v1/chat/completions` }
    for (const name of ['lent', 'lent-copy']) {
      expect((await patch(name, { proxy: moves })).status).toBe(403)
      expect((await patch(name, { proxy: { upstream_url: '' } })).status).toBe(403)
      expect((await patch(name, { proxy: { api_key_file: outside.join('other.key') } })).status).toBe(403)
      for (const to of [name, `${name}-renamed`]) {
        const text = describeModel(to, { ...moves, api_key_file: operatorKey })
        expect((await send(`/models/edit/${name}`, text)).status).toBe(403)
      }
      expect(await sentKey(name)).toBe('Bearer sk-operator')
    }
    // Once it is gone, only the operator can bring it back.
    expect((await patch('lent', { proxy: { api_key_file: null } })).status).toBe(200)
    expect((await patch('lent', { proxy: { api_key_file: operatorKey } })).status).toBe(403)
    expect(await sentKey('lent')).toBeUndefined()
    await server.writeModelFile('lent.yaml', describeModel('lent', { api_key_file: operatorKey }))
    expect(await sentKey('lent')).toBe('Bearer sk-operator')
    expect(evil.requests).toEqual([])
  })

  it('is one that the operator changes by hand, and an imported one that stays as it is remains imported', async () => {
    await send('/models/import', describeModel('mine', { api_key_file: secret('good') }))
    const path = join(server.modelsPath, 'mine.yaml')
    const text = await readFile(path, 'utf8')
    // A copy of the same bytes under another name is the operator's doing.
    await server.writeModelFile('mine.yaml', text.replace(secret('good'), operatorKey))
    expect(await sentKey('mine')).toBe('Bearer sk-operator')
    expect((await patch('mine', { pinned: true })).status).toBe(200)
    expect(await sentKey('mine')).toBe('Bearer sk-operator')
  })
})

describe('a link', () => {
  it('that leads out of the secrets folder is not followed, also where it is made later', async () => {
    expect((await send('/models/import', describeModel('linked', { api_key_file: secret('late') }))).status).toBe(200)
    await symlink(operatorKey, secret('late'))
    const reply = await server.chat('linked')
    expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('leads out of the folder')])
    // A mounted secret is a link inside the folder.
    await mkdir(secret('..data'))
    await writeFile(secret('..data/mounted'), 'sk-mounted')
    await symlink('..data/mounted', secret('mounted'))
    await send('/models/import', describeModel('mounted', { api_key_file: secret('mounted') }))
    expect(await sentKey('mounted')).toBe('Bearer sk-mounted')
  })
})

describe('a secret of the server itself', () => {
  verifies('proxy:key:own-secrets', 'is read for no model, whoever wrote its file', async () => {
    const own = [
      ...['.hmac_secret', 'database.db', 'server-id', 'mitm-ca/ca.key', 'written-models.json'].map((name) =>
        join(server.folder, 'data', name),
      ),
      ...['api_keys.json', 'runtime_settings.json', 'external_backends.json', '.api_keys.json.0123456789ab.tmp'].map(
        (name) => join(server.configDir, name),
      ),
      '/proc/self/environ',
      '/dev/stdin',
    ]
    await mkdir(join(server.folder, 'data/mitm-ca'), { recursive: true })
    for (const file of own.slice(4, -2)) await writeFile(file, 'sk-own', { flag: 'a' })
    await writeFile(join(server.folder, 'data/mitm-ca/ca.key'), 'sk-own')
    await writeFile(join(server.folder, 'data/.hmac_secret'), 'sk-own')
    await symlink(join(server.folder, 'data/.hmac_secret'), outside.join('hmac'))
    for (const [index, file] of [...own, outside.join('hmac')].entries()) {
      await server.writeModelFile(`own-${index}.yaml`, describeModel(`own-${index}`, { api_key_file: file }))
      expect([file, await sentKey(`own-${index}`)]).toEqual([file, 500])
    }
    await server.writeModelFile('env.yaml', describeModel('env', { api_key_env: 'SVC_OIDC_CLIENT_SECRET' }))
    const reply = await server.chat('env')
    expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('is a secret of this server')])
    for (const [index, keys] of [
      { lora_adapter: join(server.folder, 'data/.hmac_secret') },
      { parameters: { model: join('..', 'data/.hmac_secret') } },
      { tts: { audio_path: outside.join('hmac') } },
      { options: [`voices:a,${outside.join('hmac')}`] },
      { engine_args: { config: join(server.configDir, 'api_keys.json') } },
    ].entries()) {
      const name = `named-${index}`
      await server.writeModelFile(
        `${name}.yaml`,
        stringify({ name, backend: 'mock', known_usecases: ['chat'], ...keys }),
      )
      const { status, text } = await server.chat(name)
      expect([keys, status, text]).toEqual([keys, index === 1 ? 404 : 500, expect.any(String)])
      if (index !== 1) expect(text).toContain('names a file of this server')
    }
    await server.writeModelFile('variable.yaml', describeModel('variable', { api_key_env: 'UP_KEY' }))
    expect(await sentKey('variable')).toBe('Bearer sk-variable')
  })
})

it('a record of written files that is lost gives no file to the API', async () => {
  await using world = await startTestServer()
  const text = describeModel('kept', { api_key_file: join(world.configDir, 'secrets/x') })
  expect((await world.call('/models/import', { method: 'POST', body: text, headers: yaml })).status).toBe(200)
  const record = join(world.folder, 'data/written-models.json')
  expect(await readFile(record, 'utf8')).toContain('kept.yaml')
  await rename(record, `${record}.lost`)
  const change = describeModel('kept', { api_key_file: operatorKey })
  expect((await world.call('/models/edit/kept', { method: 'POST', body: change, headers: yaml })).status).toBe(403)
})
