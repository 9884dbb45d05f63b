import { access, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuildFamily } from './installed-backends.ts'

/** Devices with less memory do not justify their own build. */
const MIN_VRAM_BYTES = 4 * 1024 ** 3

/** PCI vendors of graphics devices. */
const VENDORS: Readonly<Record<string, 'nvidia' | 'amd' | 'intel'>> = {
  '0x10de': 'nvidia',
  '0x1002': 'amd',
  '0x8086': 'intel',
}

/** File in which an operator or an image names the machine's capability. */
const CAPABILITY_FILE = 'run/localai/capability'

/** Gives the family of a capability such as `nvidia-cuda-12`; `default` for unknown words. */
function toFamily(text: string): BuildFamily {
  const word = text.trim().toLowerCase()
  const families: readonly BuildFamily[] = ['nvidia', 'amd', 'intel', 'metal', 'darwin-x86', 'vulkan']
  return families.find((family) => word === family || word.startsWith(`${family}-`)) ?? 'default'
}

/**
 * Detects the hardware that this machine computes on: the forced capability, else that of a file, else that of its
 * graphics devices.
 *
 * @param options.forced capability that overrides everything; empty for none
 * @param options.root folder that `run`, `sys` and `dev` are in. @default '/'
 */
export async function detectBuildFamily(options: {
  readonly forced: string
  readonly platform?: NodeJS.Platform | undefined
  readonly architecture?: string | undefined
  readonly root?: string | undefined
}): Promise<BuildFamily> {
  const { forced, platform = process.platform, architecture = process.arch, root = '/' } = options
  if (forced !== '') return toFamily(forced)
  const written = await readFile(join(root, CAPABILITY_FILE), 'utf8').catch(() => '')
  if (written.trim() !== '') return toFamily(written.slice(0, 100))
  if (platform === 'darwin') return architecture === 'arm64' ? 'metal' : 'darwin-x86'
  if (await exists(join(root, 'dev/nvidiactl'))) return 'nvidia'
  const devices = await readDevices(join(root, 'sys/class/drm'))
  return (['nvidia', 'amd', 'intel'] as const).find((family) => devices.includes(family)) ?? 'default'
}

/** Lists vendors of devices that justify a build. Devices on the processor share its memory and do not. */
async function readDevices(folder: string): Promise<readonly string[]> {
  const cards = (await readdir(folder).catch(() => [])).filter((name) => /^card\d+$/.test(name))
  const found = await Promise.all(
    cards.map(async (card) => {
      const device = join(folder, card, 'device')
      const vendor = VENDORS[(await readFile(join(device, 'vendor'), 'latin1').catch(() => '')).trim()]
      const vram = Number(await readFile(join(device, 'mem_info_vram_total'), 'latin1').catch(() => Number.NaN))
      const isSmall = Number.isNaN(vram) ? await isOnProcessor(device) : vram <= MIN_VRAM_BYTES
      return vendor === undefined || isSmall ? [] : [vendor]
    }),
  )
  return found.flat()
}

/** Integrated graphics are on the first bus. */
async function isOnProcessor(device: string): Promise<boolean> {
  const address = (await readlink(device).catch(() => '')).split('/').at(-1) ?? ''
  return /^[0-9a-f]{4}:00:/.test(address)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
