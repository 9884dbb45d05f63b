import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { detectBuildFamily } from './build-family.ts'

interface Machine {
  readonly files?: Readonly<Record<string, string>>
  /** PCI address of each card. */
  readonly cards?: Readonly<Record<string, string>>
  readonly forced?: string
  readonly platform?: NodeJS.Platform
  readonly architecture?: string
}

async function detect({ files = {}, cards = {}, forced = '', platform = 'linux', architecture = 'x64' }: Machine) {
  await using dir = await tempDir()
  for (const [card, address] of Object.entries(cards)) {
    await mkdir(dir.join(`sys/devices/${address}`), { recursive: true })
    await mkdir(dir.join(`sys/class/drm/${card}`), { recursive: true })
    await symlink(`../../../devices/${address}`, dir.join(`sys/class/drm/${card}/device`))
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(dir.join(name)), { recursive: true })
    await writeFile(dir.join(name), text)
  }
  return await detectBuildFamily({ forced, platform, architecture, root: dir.path })
}

const vendor = (card: string, id: string) => ({ [`sys/class/drm/${card}/device/vendor`]: `${id}\n` })
const vram = (card: string, bytes: number) => ({ [`sys/class/drm/${card}/device/mem_info_vram_total`]: `${bytes}\n` })
const one = { card0: '0000:03:00.0' }

describe('the family of builds for a machine', () => {
  it.each<[string, Machine, string]>([
    ['nothing known', {}, 'default'],
    ['an Apple processor', { platform: 'darwin', architecture: 'arm64' }, 'metal'],
    ['an older Mac', { platform: 'darwin', architecture: 'x64' }, 'darwin-x86'],
    ['the driver of NVIDIA', { files: { 'dev/nvidiactl': '' } }, 'nvidia'],
    ['a card of NVIDIA without it', { cards: one, files: vendor('card0', '0x10de') }, 'nvidia'],
    ['a card of AMD', { cards: one, files: { ...vendor('card0', '0x1002'), ...vram('card0', 16e9) } }, 'amd'],
    [
      'little graphics memory',
      { cards: one, files: { ...vendor('card0', '0x1002'), ...vram('card0', 512e6) } },
      'default',
    ],
    ['a card of Intel', { cards: one, files: vendor('card0', '0x8086') }, 'intel'],
    ['graphics of the processor', { cards: { card0: '0000:00:02.0' }, files: vendor('card0', '0x8086') }, 'default'],
    [
      'both',
      {
        cards: { card0: '0000:00:02.0', card1: '0000:01:00.0' },
        files: { ...vendor('card0', '0x8086'), ...vendor('card1', '0x10de') },
      },
      'nvidia',
    ],
    ['a vendor without builds', { cards: one, files: vendor('card0', '0x1af4') }, 'default'],
    ['the capability in a file', { files: { 'run/localai/capability': 'amd\n', 'dev/nvidiactl': '' } }, 'amd'],
    ['a longer word of a file', { files: { 'run/localai/capability': 'nvidia-l4t-cuda-12' } }, 'nvidia'],
    ['the forced capability', { forced: 'vulkan', files: { 'run/localai/capability': 'amd' } }, 'vulkan'],
    ['no preference by force', { forced: 'disable', files: { 'dev/nvidiactl': '' } }, 'default'],
  ])('%s', async (_name, machine, family) => {
    expect(await detect(machine)).toBe(family)
  })
})
