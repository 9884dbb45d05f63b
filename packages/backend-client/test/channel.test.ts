import { existsSync, mkdtempSync, rmSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBackendClient } from '../src/index.ts'
import { Reply } from '../src/proto.ts'
import { answer, startRawServer } from './raw-server.ts'

const HEALTH = '/backend.Backend/Health'
const OK = Reply.encode(Reply.fromPartial({ message: Buffer.from('OK') })).finish()

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-channel-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

it('refuses an address that is none before anything is connected', () => {
  expect(() => createBackendClient({ address: 'nowhere' })).toThrow(
    expect.objectContaining({ code: 'backend_address' }),
  )
})

it('fails at once where nobody listens, by socket and by port', async () => {
  for (const address of [`unix:${folder}/none.sock`, `127.0.0.1:${await freePort()}`]) {
    await using client = createBackendClient({ address })
    await expect(client.health({ timeoutMs: 20_000 })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'backend_unavailable',
      message: 'the backend is not reachable',
      cause: { message: expect.stringMatching(/ENOENT|ECONNREFUSED/) },
    })
  }
})

it('reaches a backend that comes up later behind an address that failed', async () => {
  const address = `unix:${folder}/late.sock`
  await using client = createBackendClient({ address })
  await expect(client.health()).rejects.toMatchObject({ kind: 'unavailable' })
  const ready = client.waitUntilReady({ signal: AbortSignal.timeout(20_000) })
  await using _server = await startRawServer({ [HEALTH]: (call) => answer(call, OK) }, address)
  await ready
})

it('reaches the next process behind the same address', async () => {
  const address = `unix:${folder}/again.sock`
  await using client = createBackendClient({ address })
  for (let round = 0; round < 3; round += 1) {
    const server = await startRawServer({ [HEALTH]: (call) => answer(call, OK) }, address)
    await client.waitUntilReady({ signal: AbortSignal.timeout(20_000) })
    server.kill()
    await expect(client.health()).rejects.toMatchObject({ kind: 'unavailable' })
    const path = address.slice('unix:'.length)
    if (existsSync(path)) unlinkSync(path)
  }
})

it('pays no attention to a proxy in the environment', async () => {
  const before = process.env.grpc_proxy
  process.env.grpc_proxy = `http://127.0.0.1:${await freePort()}`
  try {
    await using server = await startRawServer({ [HEALTH]: (call) => answer(call, OK) })
    await using client = createBackendClient({ address: server.address })
    await client.health()
  } finally {
    if (before === undefined) delete process.env.grpc_proxy
    else process.env.grpc_proxy = before
  }
})

it('uses one connection for many calls', async () => {
  const peers = new Set<string>()
  await using server = await startRawServer({
    [HEALTH]: (call) => {
      peers.add(call.getPeer())
      answer(call, OK)
    },
  })
  await using client = createBackendClient({ address: server.address })
  await Promise.all(Array.from({ length: 50 }, () => client.health()))
  expect(peers.size).toBe(1)
})
