import { execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { collectLines, createDeferred, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from './__fixtures__/silent-logger.ts'
import { createProcessRecord, reapOrphans } from './process-record.ts'
import { readProcessStat } from './process-table.ts'

const backend = (pid: number) => ({ pid, startTicks: pid * 10, name: `backend ${pid}` })

async function readBackends(file: string): Promise<unknown> {
  const record: { backends: unknown } = JSON.parse(await readFile(file, 'utf8'))
  return record.backends
}

function isAlive(pid: number): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.state !== 'Z'
}

describe('createProcessRecord', () => {
  it('writes the running backends, and writes again when one ends', async () => {
    await using dir = await tempDir()
    const file = dir.join('backends.json')
    const record = createProcessRecord({ file, writeFile, logger: silentLogger })
    record.add(backend(11))
    record.add({ ...backend(12), folder: '/tmp/svc-backend-x' })
    await record.settled()
    expect(await readBackends(file)).toEqual([backend(11), { ...backend(12), folder: '/tmp/svc-backend-x' }])
    record.remove(11)
    record.remove(99)
    await record.settled()
    expect(await readBackends(file)).toEqual([{ ...backend(12), folder: '/tmp/svc-backend-x' }])
  })

  it('lets one write wait behind the running one and include all changes since', async () => {
    const contents: number[] = []
    const gate = createDeferred()
    const record = createProcessRecord({
      file: 'unused',
      logger: silentLogger,
      async writeFile(_file, content) {
        const { backends }: { backends: unknown[] } = JSON.parse(content)
        contents.push(backends.length)
        await gate.promise
      },
    })
    record.add(backend(2))
    await Promise.resolve()
    for (let pid = 3; pid <= 50; pid++) record.add(backend(pid))
    gate.resolve()
    await record.settled()
    expect(contents).toEqual([1, 49])
  })

  it('goes on after a write that failed (REL-7)', async () => {
    const written: string[] = []
    let failures = 1
    const record = createProcessRecord({
      file: 'unused',
      logger: silentLogger,
      async writeFile(_file, content) {
        if (failures-- > 0) throw new Error('no space left on device')
        written.push(content)
      },
    })
    record.add(backend(2))
    await record.settled()
    record.add(backend(3))
    await record.settled()
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ backends: [backend(2), backend(3)] })
  })
})

describe.runIf(process.platform === 'linux')('reapOrphans', () => {
  const STAY = 'setInterval(() => {}, 1000)'
  const reap = (file: string) => reapOrphans({ file, clock: systemClock, logger: silentLogger })

  /** Starts a process group, and writes a record of it by a server that has ended. */
  async function leaveOrphan(file: string) {
    const child = spawn(process.execPath, ['-e', STAY], { detached: true, stdio: 'ignore' })
    const pid = child.pid ?? 0
    const startTicks = readProcessStat(pid)?.startTicks ?? 0
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
    const record = createProcessRecord({ file, writeFile, logger: silentLogger })
    record.add({ pid, startTicks, name: 'orphan' })
    await record.settled()
    await change(file, (content) => ({ ...content, server: { pid: 2 ** 22 + 1, startTicks: 1 } }))
    return { pid, ended }
  }
  async function change(file: string, act: (content: Record<string, unknown>) => unknown): Promise<void> {
    await writeFile(file, JSON.stringify(act(JSON.parse(await readFile(file, 'utf8')))))
  }

  it('ends processes that a killed server left behind', async () => {
    await using dir = await tempDir()
    const file = dir.join('backends.json')
    const { ended } = await leaveOrphan(file)
    expect(await reap(file)).toBe(1)
    expect(await ended).toBe('SIGTERM')
    expect(await reap(file)).toBe(0)
  })

  it.each<[string, (content: Record<string, unknown>, pid: number) => unknown]>([
    [
      'whose pid is used by another process now',
      (content, pid) => ({ ...content, backends: [{ pid, startTicks: 1, name: 'x' }] }),
    ],
    ['of a server that still runs', (content) => ({ ...content, server: thisServer() })],
    ['of another boot or container', (content) => ({ ...content, host: 'elsewhere' })],
    ['of another version', (content) => ({ ...content, version: 2 })],
    ['of a record that is damaged', (content, pid) => ({ ...content, backends: [{ pid: String(pid) }] })],
    [
      'beside an entry that would mean every process',
      (content, pid) => ({
        ...content,
        backends: [
          { pid: 1, startTicks: 0, name: 'x' },
          { pid, startTicks: 1, name: 'x' },
        ],
      }),
    ],
  ])('leaves processes alone %s', async (_case, tamper) => {
    await using dir = await tempDir()
    const file = dir.join('backends.json')
    const { pid, ended } = await leaveOrphan(file)
    await change(file, (content) => tamper(content, pid))
    expect(await reap(file)).toBe(0)
    expect(isAlive(pid)).toBe(true)
    process.kill(-pid, 'SIGKILL')
    expect(await ended).toBe('SIGKILL')
  })

  it('does nothing without a record', async () => {
    await using dir = await tempDir()
    expect(await reap(dir.join('missing.json'))).toBe(0)
    await writeFile(dir.join('torn.json'), '{"version":1,"backends":[{"pi')
    expect(await reap(dir.join('torn.json'))).toBe(0)
  })

  it('ends a group whose leader died with the server, even if it ignores TERM (REL-9)', async () => {
    await using dir = await tempDir()
    const file = dir.join('backends.json')
    const stubborn = `process.on('SIGTERM', () => {}); console.log('grandchild ' + process.pid); ${STAY}`
    await writeFile(
      dir.join('forking.mjs'),
      `import { spawn } from 'node:child_process'
       spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit' })
       ${STAY}`,
    )
    const run = (name: string) => ['--conditions=@svc/source', '--import', 'tsx', fixture(name)]
    const server = spawn(process.execPath, [...run('recording-server.ts'), file, dir.path, dir.join('forking.mjs')])
    const pids = await collectLines(server.stdout).waitFor(/^\{/)
    const { leader, grandchild }: { leader: number; grandchild: number } = JSON.parse(pids)
    server.kill('SIGKILL')
    process.kill(leader, 'SIGKILL')
    expect(isAlive(grandchild)).toBe(true)
    const { stdout } = await promisify(execFile)(process.execPath, [...run('reaping-server.ts'), file])
    expect(stdout).toBe('1')
    expect(isAlive(grandchild)).toBe(false)
  })
})

function thisServer() {
  return { pid: process.pid, startTicks: readProcessStat(process.pid)?.startTicks }
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`./__fixtures__/${name}`, import.meta.url))
}
