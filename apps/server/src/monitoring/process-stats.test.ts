import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { createProcessStats } from './process-stats.ts'

interface FakeProcess {
  readonly pid: number
  readonly parentPid?: number
  readonly groupId?: number
  readonly ticks?: number
  readonly startTicks?: number
  readonly kibibytes?: number
  readonly name?: string
  readonly state?: string
}

async function writeHost(root: string): Promise<void> {
  await writeFile(join(root, 'stat'), 'cpu  1 2 3 4\ncpu0 1 1 1 1\ncpu1 1 1 1 1\nintr 5\nbtime 1700000000\n')
  await writeFile(join(root, 'meminfo'), 'MemTotal:        1024000 kB\nMemFree: 10 kB\n')
}

async function writeProcess(root: string, process: FakeProcess): Promise<void> {
  const { pid, parentPid = 1, groupId = pid, ticks = 0, startTicks = 250, kibibytes = 0 } = process
  const folder = join(root, String(pid))
  await mkdir(folder, { recursive: true })
  const fields = [process.state ?? 'S', parentPid, groupId, groupId, 0, 0, 0, 0, 0, 0, 0, ticks, 0, 0, 0, 20, 0, 1, 0]
  await writeFile(join(folder, 'stat'), `${pid} (${process.name ?? 'node'}) ${fields.join(' ')} ${startTicks} 0 0\n`)
  await writeFile(join(folder, 'status'), `Name:\tnode\nVmSize:\t   ${kibibytes * 2} kB\nVmRSS:\t   ${kibibytes} kB\n`)
}

describe('createProcessStats', () => {
  // verifies system:process:pid, system:process:rss, system:process:memory-percent, system:process:started-at
  it('adds up a process, its group and their descendants', async () => {
    await using dir = await tempDir()
    await writeHost(dir.path)
    await writeProcess(dir.path, { pid: 10, kibibytes: 1000, name: 'odd) S 1 (name' })
    await writeProcess(dir.path, { pid: 11, parentPid: 1, groupId: 10, kibibytes: 40 })
    await writeProcess(dir.path, { pid: 12, parentPid: 11, groupId: 12, kibibytes: 8 })
    await writeProcess(dir.path, { pid: 13, parentPid: 10, groupId: 10, kibibytes: 1, state: 'Z' })
    await writeProcess(dir.path, { pid: 14, kibibytes: 5000 })
    const stats = createProcessStats({ clock: createFakeClock(), root: dir.path })
    expect(await stats.read(10)).toEqual({
      pid: 10,
      rssBytes: 1048 * 1024,
      virtualBytes: 2096 * 1024,
      memoryPercent: (1048 / 1_024_000) * 100,
      startedAt: '2023-11-14T22:13:22.500Z',
    })
  })

  // verifies system:process:cpu-percent, system:process:cpu-first-call
  it('gives the CPU share of all CPUs since the previous reading, not on the first', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const stats = createProcessStats({ clock, root: dir.path })
    await writeHost(dir.path)
    await writeProcess(dir.path, { pid: 10, ticks: 100 })
    await writeProcess(dir.path, { pid: 11, parentPid: 10, ticks: 50 })
    expect(await stats.read(10)).not.toHaveProperty('cpuPercent')
    await clock.advance(2000)
    await writeProcess(dir.path, { pid: 10, ticks: 180 })
    await writeProcess(dir.path, { pid: 11, parentPid: 10, ticks: 90 })
    // 1.2 s of CPU in 2 s on 2 CPUs.
    expect((await stats.read(10))?.cpuPercent).toBeCloseTo(30)
  })

  it('takes a process that got a used pid for a new one', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const stats = createProcessStats({ clock, root: dir.path })
    await writeHost(dir.path)
    await writeProcess(dir.path, { pid: 10, ticks: 100 })
    await stats.read(10)
    await clock.advance(1000)
    await writeProcess(dir.path, { pid: 10, ticks: 500, startTicks: 900 })
    expect(await stats.read(10)).not.toHaveProperty('cpuPercent')
  })

  // verifies system:process:cpu-percent
  it('stays between 0 and 100 when a helper ends or ticks are coarse', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const stats = createProcessStats({ clock, root: dir.path })
    await writeHost(dir.path)
    await writeProcess(dir.path, { pid: 10, ticks: 100 })
    await writeProcess(dir.path, { pid: 11, parentPid: 10, ticks: 900 })
    await stats.read(10)
    await clock.advance(10)
    await rm(dir.join('11'), { recursive: true })
    expect((await stats.read(10))?.cpuPercent).toBe(0)
    await clock.advance(10)
    await writeProcess(dir.path, { pid: 10, ticks: 200 })
    expect((await stats.read(10))?.cpuPercent).toBe(100)
  })

  // verifies system:process:unreadable
  it('is undefined for processes that are gone, and without /proc', async () => {
    await using dir = await tempDir()
    const stats = createProcessStats({ clock: createFakeClock(), root: dir.path })
    expect(await stats.read(10)).toBeUndefined()
    await writeHost(dir.path)
    await writeProcess(dir.path, { pid: 11 })
    expect(await stats.read(10)).toBeUndefined()
    await rm(dir.join('11', 'status'))
    expect(await stats.read(11)).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('reads this very process', async () => {
    const figures = await createProcessStats({ clock: systemClock }).read(process.pid)
    expect(figures?.pid).toBe(process.pid)
    expect(figures?.rssBytes).toBeGreaterThan(10_000_000)
    expect(figures?.memoryPercent).toBeGreaterThan(0)
    expect(Math.abs(Date.parse(figures?.startedAt ?? '') - (Date.now() - process.uptime() * 1000))).toBeLessThan(60_000)
  })
})
