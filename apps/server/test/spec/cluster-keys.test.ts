import { spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { collectLines, eventually, patienceMs, startNats, tempDir } from '@svc/test-kit'
import { afterEach, expect, it, vi } from 'vitest'
import { findFreePort } from '../../src/backends/endpoint.ts'
import { writeClusterKeys } from '../../src/cli/cluster-keys-command.ts'
import { openMessenger } from '../../src/cluster/nats/__fixtures__/open-messenger.ts'
import { createNodeCredentials, nodeInbox } from '../../src/cluster/nats/node-credentials.ts'

afterEach(() => vi.restoreAllMocks())

const readVariables = async (file: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  )

it('writes keys with which front ends and workers meet at a NATS server, and never over others', async (context) => {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await using dir = await tempDir()
  const folder = dir.join('new/keys')
  await writeClusterKeys(folder)
  const [environmentFile, busFile] = [`${folder}/cluster.env`, `${folder}/nats.conf`]
  expect(String(output.mock.calls)).toContain(`wrote ${environmentFile}`)
  for (const file of [environmentFile, busFile]) expect((await stat(file)).mode & 0o777).toBe(0o600)
  const keys = await readVariables(environmentFile)
  expect(Object.values(keys).every((value) => value.length >= 32)).toBe(true)
  expect(new Set(Object.values(keys)).size).toBe(7)
  await expect(writeClusterKeys(folder)).rejects.toMatchObject({ code: 'file_exists' })
  expect(await readVariables(environmentFile)).toEqual(keys)

  const probe = await startNats()
  await probe[Symbol.asyncDispose]()
  if (!probe.available) return context.skip(probe.reason)
  const port = await findFreePort()
  const configuration = (await readFile(busFile, 'utf8'))
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace(/^http: .*\n/m, '')
  await writeFile(busFile, configuration)
  const server = spawn('nats-server', ['-c', busFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/bin` },
  })
  try {
    await collectLines(server.stderr).waitFor('Server is ready')
    const bus = { ...probe, url: `nats://127.0.0.1:${port}`, port }
    const service = { jwt: keys.SVC_NATS_SERVICE_JWT ?? '', seed: keys.SVC_NATS_SERVICE_SEED ?? '' }
    const credentials = await createNodeCredentials({ accountSeed: keys.SVC_NATS_ACCOUNT_SEED ?? '', ttlMs: 60_000 })
    const user = await credentials.mint({ nodeId: 'w1', kind: 'backend', inbox: 'own' }, Date.now())
    await using front = await openMessenger(bus, { user: service, inboxPrefix: 'svc.inbox.f1' })
    await using worker = await openMessenger(bus, { user, inboxPrefix: nodeInbox('w1') })
    worker.serve('nodes.w1.backend.list', async () => 'here')
    await eventually(async () => {
      const soon = { signal: new AbortController().signal, timeoutMs: patienceMs(2000) }
      expect(await front.request('nodes.w1.backend.list', {}, soon)).toBe('here')
    })
  } finally {
    server.kill('SIGKILL')
  }
})
