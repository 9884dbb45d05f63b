import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type DrmDescriptor, readDeviceMemory, sumDeviceMemory } from './drm-vram.ts'

interface FixtureCase {
  readonly name: string
  readonly why?: string
  readonly processes: readonly (readonly DrmDescriptor[])[]
  readonly size_vram: number | null
}

const fixture = await readFile(new URL('./__fixtures__/drm-fdinfo.jsonl', import.meta.url), 'utf8')
const cases = fixture
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .map((line): FixtureCase => JSON.parse(line))

describe('sumDeviceMemory', () => {
  it('reads 58 recorded cases', () => {
    expect(cases).toHaveLength(58)
  })

  // verifies system:vram:client-once, system:vram:host-regions, system:vram:proprietary-driver
  // verifies system:vram:primary-node, system:vram:missing-counters, system:vram:unreadable, system:vram:zero
  it.each(cases)('$name: $why', ({ processes, size_vram }) => {
    expect(sumDeviceMemory(processes)).toBe(size_vram ?? undefined)
  })
})

it('counts an unreadable region of host memory as 0, and gives up at one of device memory', () => {
  const client = (...lines: readonly string[]) => [
    [
      {
        target: '/dev/dri/renderD128',
        fdinfo: ['drm-client-id:\t1', 'drm-pdev:\t0000:03:00.0', ...lines].join('\n'),
      },
    ],
  ]
  expect(sumDeviceMemory(client('drm-resident-vram0:\t4 KiB', 'drm-resident-gtt:\t? KiB'))).toBe(4096)
  expect(sumDeviceMemory(client('drm-resident-system:\tlots'))).toBe(0)
  expect(sumDeviceMemory(client('drm-resident-vram0:\t? KiB', 'drm-resident-gtt:\t4 KiB'))).toBeUndefined()
  expect(sumDeviceMemory(client('drm-resident-local0:\t4 TiB'))).toBeUndefined()
})

interface FakeProcess {
  readonly pid: number
  readonly parentPid: number
  readonly groupId: number
  readonly files: Readonly<Record<string, { target: string; fdinfo?: string }>>
}

async function writeProcess(root: string, process: FakeProcess): Promise<void> {
  const folder = join(root, String(process.pid))
  await mkdir(join(folder, 'fd'), { recursive: true })
  await mkdir(join(folder, 'fdinfo'))
  const zeros = Array.from({ length: 15 }, () => '0').join(' ')
  const stat = `${process.pid} (x) S ${process.parentPid} ${process.groupId} ${process.groupId} ${zeros} 100 0`
  await writeFile(join(folder, 'stat'), stat)
  for (const [name, { target, fdinfo }] of Object.entries(process.files)) {
    await symlink(target, join(folder, 'fd', name))
    if (fdinfo !== undefined) await writeFile(join(folder, 'fdinfo', name), fdinfo)
  }
}

const render = (clientId: number, kibibytes: number) => ({
  target: '/dev/dri/renderD128',
  fdinfo: `drm-driver:\txe\ndrm-client-id:\t${clientId}\ndrm-pdev:\t0000:03:00.0\ndrm-resident-vram0:\t${kibibytes} KiB\n`,
})

describe('readDeviceMemory', () => {
  // verifies system:vram:drm-counters, system:vram:client-once
  it('adds up the clients of a process, its group and their children, each once', async () => {
    await using dir = await tempDir()
    await writeProcess(dir.path, {
      pid: 10,
      parentPid: 1,
      groupId: 10,
      files: { 3: render(1, 4), 4: { target: '/dev/null' } },
    })
    await writeProcess(dir.path, { pid: 11, parentPid: 10, groupId: 10, files: { 3: render(1, 4), 5: render(2, 8) } })
    await writeProcess(dir.path, { pid: 12, parentPid: 11, groupId: 12, files: { 3: render(3, 16) } })
    await writeProcess(dir.path, { pid: 13, parentPid: 1, groupId: 13, files: { 3: render(4, 1024) } })
    expect(await readDeviceMemory(10, dir.path)).toBe(28 * 1024)
  })

  // verifies system:vram:proprietary-driver
  it('does not know the figure of a backend that opened a proprietary device', async () => {
    await using dir = await tempDir()
    await writeProcess(dir.path, {
      pid: 10,
      parentPid: 1,
      groupId: 10,
      files: { 3: render(1, 4), 4: { target: '/dev/nvidia0' } },
    })
    expect(await readDeviceMemory(10, dir.path)).toBeUndefined()
  })

  // verifies system:vram:other-systems
  it('is undefined for a process that is gone or a system without processes', async () => {
    await using dir = await tempDir()
    expect(await readDeviceMemory(10, dir.path)).toBeUndefined()
    expect(await readDeviceMemory(10, dir.join('missing'))).toBeUndefined()
  })

  it('takes a render node closed between listing and reading for closed', async () => {
    await using dir = await tempDir()
    const files = { 3: render(1, 4), 4: { target: '/dev/dri/renderD129' } }
    await writeProcess(dir.path, { pid: 10, parentPid: 1, groupId: 10, files })
    expect(await readDeviceMemory(10, dir.path)).toBe(4096)
  })
})
