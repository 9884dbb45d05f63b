import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createFakeClock, type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createMemoryPressure } from './memory-pressure.ts'

const MEMINFO = 'MemTotal:        1000 kB\nMemFree:          100 kB\nMemAvailable:     400 kB\n'

async function machine(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const dir = await tempDir()
  for (const [name, text] of Object.entries({ 'proc/meminfo': MEMINFO, ...files })) {
    await mkdir(dirname(dir.join(name)), { recursive: true })
    await writeFile(dir.join(name), text)
  }
  return dir
}

async function read(files: Readonly<Record<string, string>>, queryTool?: () => Promise<string>) {
  await using dir = await machine(files)
  // Awaited here, because the folder is gone afterwards.
  return await createMemoryPressure({ clock: createFakeClock(), root: dir.path, queryTool }).read()
}

describe('main memory', () => {
  it('is that of the machine: unavailable memory is used', async () => {
    expect(await read({})).toEqual({ kind: 'ram', usedShare: 0.6 })
  })

  it.each<[string, Readonly<Record<string, string>>, number]>([
    [
      'of the container (v2), without file pages that can be given back',
      {
        'proc/self/cgroup': '0::/\n',
        'sys/fs/cgroup/memory.max': `${500 * 1024}\n`,
        'sys/fs/cgroup/memory.current': `${400 * 1024}\n`,
        'sys/fs/cgroup/memory.stat': `anon 7\ninactive_file ${100 * 1024}\n`,
      },
      0.6,
    ],
    [
      'of the group above that leaves the least (v2)',
      {
        'proc/self/cgroup': '0::/a/b\n',
        'sys/fs/cgroup/a/memory.max': `${500 * 1024}`,
        'sys/fs/cgroup/a/memory.current': `${450 * 1024}`,
        'sys/fs/cgroup/a/b/memory.max': `${400 * 1024}`,
        'sys/fs/cgroup/a/b/memory.current': `${100 * 1024}`,
      },
      0.9,
    ],
    [
      'of the container (v1)',
      {
        'proc/self/cgroup': '5:cpu:/x\n4:memory:/docker/1\n',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': `${800 * 1024}`,
        'sys/fs/cgroup/memory/memory.usage_in_bytes': `${400 * 1024}`,
        'sys/fs/cgroup/memory/memory.stat': `total_inactive_file ${200 * 1024}\n`,
      },
      0.25,
    ],
    [
      'of the machine where the container has no limit',
      { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': 'max\n', 'sys/fs/cgroup/memory.current': '7' },
      0.6,
    ],
    [
      'of the machine when the limit is above its memory',
      {
        'proc/self/cgroup': '4:memory:/\n',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
        'sys/fs/cgroup/memory/memory.usage_in_bytes': '7',
      },
      0.6,
    ],
  ])('is that %s', async (_name, files, usedShare) => {
    expect(await read(files)).toEqual({ kind: 'ram', usedShare })
  })

  it('is unknown without any source', async () => {
    expect(await read({ 'proc/meminfo': 'nothing\n' })).toBeUndefined()
  })
})

describe('graphics memory', () => {
  const amd = (card: string, total: number, used: number) => ({
    [`sys/class/drm/${card}/device/mem_info_vram_total`]: `${total}\n`,
    [`sys/class/drm/${card}/device/mem_info_vram_used`]: `${used}\n`,
  })

  it('counts before main memory, all devices together', async () => {
    const files = { ...amd('card0', 1000, 100), ...amd('card1', 3000, 2900), ...amd('card1-DP-1', 1, 1) }
    expect(await read(files)).toEqual({ kind: 'gpu', usedShare: 0.75 })
  })

  it('is asked of the tool of the driver where there is one', async () => {
    const answer = async () => '1000, 900\n3000, 100\n'
    expect(await read({ 'dev/nvidiactl': '' }, answer)).toEqual({ kind: 'gpu', usedShare: 0.25 })
    expect(await read({}, answer)).toEqual({ kind: 'ram', usedShare: 0.6 })
  })

  it('that is main memory, or whose tool fails, makes main memory count', async () => {
    const files = { 'dev/nvidiactl': '' }
    expect(await read(files, async () => '[N/A], [N/A]\n')).toEqual({ kind: 'ram', usedShare: 0.6 })
    expect(await read(files, () => Promise.reject(new Error('no tool')))).toEqual({ kind: 'ram', usedShare: 0.6 })
  })

  it('is asked for once in five seconds', async () => {
    await using dir = await machine({ 'dev/nvidiactl': '' })
    const clock = createFakeClock()
    let asked = 0
    const queryTool = async () => {
      asked += 1
      return '1000, 500\n'
    }
    const pressure = createMemoryPressure({ clock, root: dir.path, queryTool })
    for (let round = 0; round < 10; round += 1) {
      await pressure.read()
      await clock.advance(999)
    }
    expect(asked).toBe(2)
  })
})

describe('the budget of graphics memory', () => {
  const AMD = {
    'sys/class/drm/card0/device/mem_info_vram_total': '1000\n',
    'sys/class/drm/card0/device/mem_info_vram_used': '300\n',
    'sys/class/drm/card1/device/mem_info_vram_total': '3000\n',
    'sys/class/drm/card1/device/mem_info_vram_used': '900\n',
  }
  it.each([
    ['a share of each device', { share: 0.5 }, [500, 1500], 0.6],
    ['a size of all devices together', { bytes: 1000 }, [250, 750], 1.2],
    ['a size above what is there', { bytes: 1e9 }, [1000, 3000], 0.3],
  ])('is %s', async (_name, budget, totals, usedShare) => {
    await using dir = await machine(AMD)
    const memory = createMemoryPressure({ clock: createFakeClock(), root: dir.path, budget: () => budget })
    expect((await memory.devices()).map(({ totalBytes }) => totalBytes)).toEqual(totals)
    expect((await memory.devices()).map(({ usedBytes }) => usedBytes)).toEqual([300, 900])
    expect(await memory.read()).toEqual({ kind: 'gpu', usedShare })
  })
  it('leaves main memory alone', async () => {
    await using dir = await machine({})
    const memory = createMemoryPressure({ clock: createFakeClock(), root: dir.path, budget: () => ({ share: 0.1 }) })
    expect(await memory.read()).toEqual({ kind: 'ram', usedShare: 0.6 })
  })
})
