import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { startNats } from './nats.ts'
import { tempDir } from './temp-dir.ts'

afterEach(() => vi.unstubAllEnvs())

/** The first line of a server. */
async function greet(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const [bytes] = await once(socket, 'data')
  socket.destroy()
  return String(bytes)
}

it('starts a server that asks for credentials, ends and starts it, and leaves nothing behind', async (context) => {
  await using dir = await tempDir()
  vi.stubEnv('TMPDIR', dir.path)
  await using nats = await startNats()
  if (!nats.available) return context.skip(nats.reason)
  expect(await greet(nats.port)).toMatch(/^INFO \{.*"auth_required":true/)
  await nats.kill()
  await expect(greet(nats.port)).rejects.toThrow('ECONNREFUSED')
  await nats.resume()
  await nats.halt()
  await nats.resume()
  expect(await greet(nats.port)).toContain('INFO')
  await nats.close()
  await expect(greet(nats.port)).rejects.toThrow('ECONNREFUSED')
  expect(await readdir(dir.path)).toEqual([])
})

it('starts one that is open, and one with TLS', async (context) => {
  await using open = await startNats({ auth: false })
  await using closed = await startNats({ auth: 'password', tls: 'mutual' })
  if (!open.available || !closed.available) return context.skip('nats-server is not installed')
  expect(await greet(open.port)).not.toContain('auth_required')
  expect(await greet(closed.port)).toMatch(/"auth_required":true.*"tls_required":true,"tls_verify":true/)
})

it('reports why it cannot start, and leaves nothing behind', async () => {
  await using dir = await tempDir()
  await using folder = await tempDir()
  vi.stubEnv('TMPDIR', dir.path)
  vi.stubEnv('PATH', folder.path)
  await writeFile(folder.join('nats-server'), '#!/bin/sh\necho it is broken >&2\n', { mode: 0o755 })
  await using nats = await startNats()
  expect(nats.available ? '' : nats.reason).toContain('it is broken')
  expect(await readdir(dir.path)).toEqual([])
})
