import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { detectBuildFamily } from './build-family.ts'

const MAX_WORD = 100

/**
 * Detects the hardware that this machine computes on, in the words of backend galleries, such as `nvidia-cuda-12`: the
 * forced value, else that of a file, else the vendor of the graphics device with the toolkit that is installed for it.
 *
 * @param options.forced wins over everything; empty for none
 * @param options.root folder that `run`, `usr` and `dev` are in. @default '/'
 */
export async function detectCapability(options: {
  readonly forced: string
  readonly platform?: NodeJS.Platform | undefined
  readonly architecture?: string | undefined
  readonly root?: string | undefined
}): Promise<string> {
  const { forced, platform = process.platform, architecture = process.arch, root = '/' } = options
  if (forced !== '') return forced.trim().toLowerCase()
  const written = (await readFile(join(root, 'run/localai/capability'), 'utf8').catch(() => '')).trim()
  if (written !== '') return written.slice(0, MAX_WORD).toLowerCase()
  const family = await detectBuildFamily({ forced: '', platform, architecture, root })
  if (family !== 'nvidia') return family
  const base = platform === 'linux' && architecture === 'arm64' ? 'nvidia-l4t' : 'nvidia'
  for (const version of ['13', '12']) {
    const isThere = await access(join(root, `usr/local/cuda-${version}`)).then(
      () => true,
      () => false,
    )
    if (isThere) return `${base}-cuda-${version}`
  }
  return base
}

/** The name that a map of capabilities has for a machine: the exact one, else that of its vendor, else the general one. */
export function chooseByCapability(
  capabilities: Readonly<Record<string, string>>,
  capability: string,
): string | undefined {
  const known = new Map(Object.entries(capabilities).map(([key, name]) => [key.toLowerCase(), name]))
  for (const key of [capability, capability.split('-')[0] ?? '', 'default', 'cpu']) {
    const name = known.get(key)
    if (name !== undefined && name !== '') return name
  }
  return undefined
}

/** Words in the name and address of a build, and the capabilities that can run it. */
const BUILDS: readonly (readonly [words: readonly string[], runsOn: readonly string[]])[] = [
  [
    ['darwin', 'mlx', 'metal'],
    ['metal', 'darwin-x86'],
  ],
  [['l4t'], ['l4t']],
  [['cuda'], ['nvidia']],
  [['rocm', 'hip'], ['amd']],
  [['sycl', 'intel'], ['intel']],
]

/** Whether a build runs on a machine, by the words in its name and address. `disable` switches the filter off. */
export function isCompatible(build: { readonly name: string; readonly uri: string }, capability: string): boolean {
  if (capability === 'disable') return true
  const text = `${build.name} ${build.uri}`.toLowerCase()
  const rule = BUILDS.find(([words]) => words.some((word) => text.includes(word)))
  return rule === undefined || rule[1].some((word) => capability.includes(word))
}
