import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { traceList } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

const FLAGS = ['--enable-tracing']
const headers = { 'content-type': 'application/json' }

const chat = (server: BuiltServer, text = 'Hello'): Promise<number> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] }),
  }).then(async (reply) => {
    await reply.arrayBuffer()
    return reply.status
  })

const chats = async (server: BuiltServer, count: number, text?: string): Promise<Set<number>> =>
  new Set(await Promise.all(Array.from({ length: count }, () => chat(server, text))))

async function listIds(server: BuiltServer): Promise<number[]> {
  const list = traceList.parse(await (await fetch(`${server.url}/api/traces?limit=0`)).json())
  return list.map(({ id }) => Number(id))
}

async function readTotal(server: BuiltServer): Promise<number> {
  const summary = (await (await fetch(`${server.url}/api/traces/summary`)).json()) as { readonly total: number }
  return summary.total
}

/** Files of traces, the oldest first. */
function listSegments(folder: string): string[] {
  const traces = join(folder, 'data/traces/api')
  if (!existsSync(traces)) return []
  return readdirSync(traces)
    .sort()
    .map((name) => join(traces, name))
}

describe('tracing', () => {
  it('survives a kill under load, and names damaged files and passes them over', async () => {
    await using dir = await tempDir('svc-e2e-')
    const first = await startBuiltServer({ folder: dir.path, flags: FLAGS, mock: {} })
    await first.model('m')
    expect(await chats(first, 50)).toEqual(new Set([200]))
    const stored = () => listSegments(dir.path).flatMap((file) => readFileSync(file, 'utf8').match(/\n/g) ?? []).length
    await eventually(() => expect(stored()).toBeGreaterThanOrEqual(50))
    // a request is 16 bytes of the summary
    await eventually(() => expect(statSync(dir.join('data/traces/requests.bin')).size).toBeGreaterThanOrEqual(50 * 16))
    const running = Promise.allSettled(Array.from({ length: 200 }, () => chat(first)))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await first.kill()
    await running
    const [newest = ''] = listSegments(dir.path).reverse()
    appendFileSync(newest, '00000000\t{"id":"999999"}\nhalf a li')
    writeFileSync(join(dir.path, 'data/traces/api/000000900000.jsonl'), Buffer.alloc(5000, 0xff))
    await using second = await startBuiltServer({ folder: dir.path, flags: FLAGS, mock: {} })
    const ids = await listIds(second)
    expect(ids.length).toBeGreaterThanOrEqual(50)
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => other - one))
    expect(ids).not.toContain(999_999)
    expect(await readTotal(second)).toBeGreaterThanOrEqual(50)
    const damaged = second.log().filter(({ msg }) => msg === 'lines of stored traces are damaged')
    expect(damaged.map(({ file }) => file)).toContain('000000900000.jsonl')
    expect(damaged.length).toBe(2)
    expect(await chat(second)).toBe(200)
    await eventually(async () => expect((await listIds(second))[0]).toBeGreaterThan(ids[0] ?? 0))
  })

  it('never holds up a request on a full disk, says so once, and stores again once there is room', async () => {
    await using dir = await tempDir('svc-e2e-')
    const traces = dir.join('data/traces')
    await mkdir(traces, { recursive: true })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', traces])
    if (mounted.status !== 0) {
      console.info('not run: this user may not mount a small file system')
      return
    }
    try {
      await using server = await startBuiltServer({ folder: dir.path, flags: FLAGS, mock: {} })
      await server.model('m')
      const large = 'x'.repeat(40_000)
      for (let round = 0; round < 4; round += 1) expect(await chats(server, 20, large)).toEqual(new Set([200]))
      await server.logged('traces cannot be written to disk')
      expect(await listIds(server)).toHaveLength(80)
      expect(await readTotal(server)).toBe(80)
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      expect(Number(/^svc_traces_lost_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0)
      expect((await fetch(`${server.url}/api/traces/clear`, { method: 'POST', headers })).status).toBe(204)
      expect(await chats(server, 5)).toEqual(new Set([200]))
      await eventually(() => expect(listSegments(dir.path).length).toBeGreaterThan(0))
      await server.stop()
      await using next = await startBuiltServer({ folder: dir.path, flags: FLAGS, mock: {} })
      expect(await listIds(next)).toHaveLength(5)
      expect(server.log().filter(({ msg }) => msg === 'traces cannot be written to disk').length).toBeLessThan(5)
    } finally {
      spawnSync('umount', ['-l', traces])
    }
  })
})
