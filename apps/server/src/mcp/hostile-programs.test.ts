import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { eventually, patienceMs } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { RecordedBackend } from '../backends/process-record.ts'
import { readProcessTable } from '../backends/process-table.ts'
import type { ToolSet } from '../inference/tools/server-tools.ts'
import { CONTEXT, modelWith, NEVER, openServers } from './__fixtures__/open-servers.ts'

const program = fileURLToPath(new URL('./__fixtures__/hostile-program.mjs', import.meta.url))
const REQUEST = { context: CONTEXT, signal: NEVER }

function hostile(
  mode: string,
  { more = '', ...settings }: { more?: string; timeout?: string; approval?: unknown } = {},
) {
  return modelWith({ stdio: { h: { command: process.execPath, args: [program, mode, more], ...settings } } })
}

function call(set: ToolSet, signal = NEVER) {
  const [tool] = set.tools
  if (tool === undefined) throw new Error(JSON.stringify(set.failures))
  return tool.call({}, { signal })
}

/** Number of children of this process. */
async function countChildren(): Promise<number> {
  const table = await readProcessTable()
  return (table?.family(process.pid) ?? []).filter(({ parentPid }) => parentPid === process.pid).length
}

it('a program is noted for the next server while it runs', async () => {
  const noted = new Map<number, RecordedBackend>()
  const record = {
    add: (one: RecordedBackend) => void noted.set(one.pid, one),
    remove: (pid: number) => void noted.delete(pid),
  }
  await using servers = openServers({ record })
  const set = await servers.openModel(hostile('well'), REQUEST)
  expect(set.failures).toEqual([])
  const [[pid, program] = []] = noted
  expect(program).toEqual({ pid, startTicks: expect.any(Number), name: 'mcp h' })
  set.close()
  servers.follow('m', undefined)
  await eventually(() => expect(noted.size).toBe(0))
})

describe('a program whose result has many wrong parts', () => {
  it.each([
    ['many-wrong-parts', 'mcp_server_failed'],
    ['many-parts', 'mcp_message_too_complex'],
  ])('%s fails its call, and nobody else waits', async (mode, code) => {
    await using servers = openServers()
    const set = await servers.openModel(hostile(mode), REQUEST)
    const lag = monitorEventLoopDelay({ resolution: 5 })
    lag.enable()
    await expect(call(set)).rejects.toMatchObject({ code })
    lag.disable()
    expect(lag.max / 1e6).toBeLessThan(patienceMs(400))
    set.close()
  })
})

describe('a program that', () => {
  it.each([
    ['dies-at-once', /ended with the code 3/],
    ['floods-lines', /something else than messages/],
    ['endless-line', /more than 100000 bytes/],
    ['garbage-list', /the protocol does not have/],
    ['wrong-entries', /the protocol does not have/],
    ['deep', /too many or too deeply nested values/],
    ['mute', /did not start in time/],
  ])('%s gives no tools, and is gone', async (mode, reason) => {
    await using servers = openServers({ maxMessageBytes: 100_000, startMs: mode === 'mute' ? 500 : undefined })
    const before = await countChildren()
    const set = await servers.openModel(hostile(mode), REQUEST)
    expect(set.tools).toEqual([])
    expect(set.failures).toEqual([{ server: 'h', message: expect.stringMatching(reason) }])
    set.close()
    servers.follow('m', undefined)
    await eventually(async () => expect(await countChildren()).toBeLessThanOrEqual(before))
    expect(servers.sessions).toBe(0)
  })

  it.each([
    ['dies', { kind: 'upstream_failed', message: expect.stringMatching(/ended with the code 1/) }],
    ['hangs', { kind: 'timeout', code: 'mcp_timeout' }],
    ['huge', { kind: 'too_large', code: 'mcp_message_too_large' }],
    ['garbage', { kind: 'upstream_failed' }],
    ['refuses', { kind: 'invalid_request', message: expect.stringMatching(/a is missing line two/) }],
  ])('%s fails its call alone', async (mode, failure) => {
    await using servers = openServers({ maxMessageBytes: 100_000 })
    const set = await servers.openModel(
      hostile(mode, { more: '50000000', timeout: mode === 'hangs' ? '300ms' : '60s' }),
      REQUEST,
    )
    const before = process.memoryUsage().rss
    await expect(call(set)).rejects.toMatchObject(failure)
    expect(process.memoryUsage().rss - before).toBeLessThan(45_000_000)
    set.close()
  })

  it('has died is started again, at once the first time and after a pause from then on', async () => {
    await using servers = openServers()
    const set = await servers.openModel(hostile('dies'), REQUEST)
    await expect(call(set)).rejects.toMatchObject({ code: 'mcp_server_failed' })
    await expect(call(set)).rejects.toMatchObject({ code: 'mcp_server_failed' })
    await expect(call(set)).rejects.toMatchObject({ code: 'mcp_server_paused' })
    set.close()
  })

  it('does not answer is not waited for by a caller who leaves', async () => {
    await using servers = openServers()
    const leaving = new AbortController()
    const opening = servers.openModel(hostile('mute'), { context: CONTEXT, signal: leaving.signal })
    leaving.abort()
    await expect(opening).rejects.toThrow()
    expect(servers.sessions).toBe(1)
  })

  it('ignores its end, or leaves a child behind, is ended with all of its group', async () => {
    await using servers = openServers()
    const groups: number[] = []
    for (const mode of ['stays', 'leaves-child']) {
      const set = await servers.openModel(hostile(mode), REQUEST)
      const { content } = await call(set)
      groups.push(Number(/pid (\d+)/.exec(JSON.stringify(content))?.[1]))
      set.close()
    }
    const running = await readProcessTable()
    expect(groups.map((group) => running?.group(group).length)).toEqual([1, 2])
    await servers.close()
    const table = await readProcessTable()
    expect(groups.map((group) => table?.group(group).length)).toEqual([0, 0])
  })

  it('floods its error output works, and its words cost nothing', async () => {
    await using servers = openServers()
    const set = await servers.openModel(hostile('floods-errors'), REQUEST)
    await expect(call(set)).resolves.toMatchObject({ isError: false })
    set.close()
  })

  it('has odd tools gives the usable ones under names for models', async () => {
    await using servers = openServers()
    const set = await servers.openModel(hostile('odd-tools'), REQUEST)
    expect(set.tools.map(({ name, tool }) => [name, tool])).toEqual([
      ['a_b_c_d', 'a/b.c d'],
      ['z'.repeat(64), 'z'.repeat(100)],
    ])
    expect(set.tools[0]?.description).toHaveLength(8192)
    set.close()
  })

  it('never ends its list gives as many tools as are allowed', async () => {
    await using servers = openServers()
    const set = await servers.openModel(hostile('endless-list'), REQUEST)
    expect(set.tools.length).toBe(64)
    set.close()
  })
})

it('sees the allowed part of the environment and its own variables', async () => {
  const script = 'process.stderr.write(JSON.stringify(process.env)); process.exit(0)'
  const env = { MINE: 'yes' }
  const model = modelWith({ stdio: { h: { command: process.execPath, args: ['-e', script], env } } })
  const warnings: unknown[] = []
  await using logged = openServers({
    environment: { PATH: process.env.PATH, SVC_API_KEY: 'secret', HF_TOKEN: 'secret' },
    logger: { debug() {}, info() {}, error() {}, warn: (fields) => void warnings.push(fields) },
  })
  const set = await logged.openModel(model, REQUEST)
  expect(set.failures).toHaveLength(1)
  expect(JSON.stringify(warnings)).toContain('MINE')
  expect(JSON.stringify(warnings)).not.toMatch(/SVC_API_KEY|HF_TOKEN/)
  set.close()
})
