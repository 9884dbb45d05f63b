import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { RemoteServerSettings } from '../catalog/mcp-settings.ts'
import { CONTEXT, modelWith, NEVER, openServers } from './__fixtures__/open-servers.ts'
import { startProtectedServer } from './__fixtures__/start-protected-server.ts'
import { createMemoryRecords, type SealedRecords } from './sealed-records.ts'
import type { McpServers, OpenRecords } from './tool-servers.ts'

const REQUEST = { context: CONTEXT, signal: NEVER }
const CALLBACK = 'http://svc.example/v1/mcp/sign-in/callback'
const NEEDED = [{ server: 's', message: expect.stringMatching(/wants an administrator to sign in/) }]

const open = (dir: TempDir, secret = 1, openRecords?: OpenRecords) =>
  openServers({ signInFile: join(dir.path, 'sign-ins'), signInKey: () => new Uint8Array(32).fill(secret), openRecords })

function target(servers: McpServers, model: ReturnType<typeof modelWith>) {
  const settings = servers.use(model)[0]?.settings as RemoteServerSettings
  return { model: model.name, server: settings }
}

/** Signs in as a browser would. @returns what the browser brings back */
async function visit(address: string | undefined) {
  const reply = await fetch(address ?? '', { redirect: 'manual' })
  const back = new URL(reply.headers.get('location') ?? '')
  expect(back.href.startsWith(CALLBACK)).toBe(true)
  return { state: back.searchParams.get('state') ?? '', code: back.searchParams.get('code') ?? '' }
}

it('an administrator signs in once, tokens are kept encrypted and renewed', async () => {
  await using dir = await tempDir('svc-mcp-')
  await using remote = await startProtectedServer()
  const model = modelWith({ remote: { s: { url: remote.url, oauth: { grant: 'code' } } } })
  {
    await using servers = open(dir)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await servers.openModel(model, REQUEST)).failures).toEqual(NEEDED)
    }
    const { signIns } = servers
    const answer = await visit(await signIns.begin(target(servers, model), CALLBACK, NEVER))
    await expect(signIns.finish({ ...answer, state: 'other' }, NEVER)).rejects.toMatchObject({
      code: 'mcp_sign_in_state',
    })
    expect((await signIns.finish(answer, NEVER)).server.name).toBe('s')
    await expect(signIns.finish(answer, NEVER)).rejects.toMatchObject({ code: 'mcp_sign_in_state' })
    expect(remote.grants).toEqual(['register svc', 'authorization_code'])
    const set = await servers.openModel(model, REQUEST)
    expect(set.failures).toEqual([])
    remote.expire()
    const add = set.tools.find(({ name }) => name === 'add')
    expect(await add?.call({ a: 1, b: 2 }, { signal: NEVER })).toMatchObject({ isError: false })
    expect(remote.grants.at(-1)).toBe('refresh_token')
    set.close()
  }
  const file = join(dir.path, 'sign-ins')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readFile(file)).toString('latin1')).not.toMatch(/token|svc\.example/)
  await using again = open(dir)
  expect((await again.openModel(model, REQUEST)).failures).toEqual([])
  await again.signIns.forget(target(again, model))
  again.follow('m', undefined)
  await using other = open(dir, 2)
  expect((await other.openModel(model, REQUEST)).failures).toEqual(NEEDED)
})

it('a sign-in may begin at one front end and end at another, and both renew its tokens', async () => {
  await using dir = await tempDir('svc-mcp-')
  await using remote = await startProtectedServer()
  const model = modelWith({ remote: { s: { url: remote.url, oauth: { grant: 'code' } } } })
  const kinds = new Map<string, unknown>()
  const openRecords: OpenRecords = <Value>(kind: string) => {
    if (!kinds.has(kind)) kinds.set(kind, createMemoryRecords<Value>(10))
    return kinds.get(kind) as SealedRecords<Value>
  }
  await using one = open(dir, 1, openRecords)
  await using two = open(dir, 1, openRecords)
  const answer = await visit(await one.signIns.begin(target(one, model), CALLBACK, NEVER))
  expect((await two.signIns.finish(answer, NEVER)).server.name).toBe('s')
  await expect(one.signIns.finish(answer, NEVER)).rejects.toMatchObject({ code: 'mcp_sign_in_state' })
  for (const servers of [one, two, one]) {
    const set = await servers.openModel(model, REQUEST)
    expect(set.failures).toEqual([])
    remote.expire()
    const add = set.tools.find(({ name }) => name === 'add')
    expect(await add?.call({ a: 1, b: 2 }, { signal: NEVER })).toMatchObject({ isError: false })
    set.close()
  }
})

it('a client that proves itself needs no person', async () => {
  await using dir = await tempDir('svc-mcp-')
  await using remote = await startProtectedServer()
  await using servers = open(dir)
  const oauth = { grant: 'client', client_id: 'me', client_secret: 'secret' }
  const model = modelWith({ remote: { s: { url: remote.url, oauth } } })
  const set = await servers.openModel(model, REQUEST)
  expect([set.failures, remote.grants]).toEqual([[], ['client_credentials']])
  expect(await servers.signIns.begin(target(servers, model), CALLBACK, NEVER)).toBeUndefined()
  set.close()
})

it('a server without a key for it has no sign-in', async () => {
  await using dir = await tempDir('svc-mcp-')
  await using remote = await startProtectedServer()
  await using servers = open(dir)
  const model = modelWith({ remote: { s: { url: remote.url } } })
  const { failures } = await servers.openModel(model, REQUEST)
  expect(failures).toEqual([{ server: 's', message: expect.stringMatching(/refuses the credentials/) }])
  await expect(servers.signIns.begin(target(servers, model), CALLBACK, NEVER)).rejects.toMatchObject({
    code: 'mcp_no_sign_in',
  })
})
