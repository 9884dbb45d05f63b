import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Texts of licences that packages name and do not ship. */
const TEXTS = new URL('./licences/', import.meta.url)

/**
 * The licence texts of the packages whose files a bundle holds.
 *
 * @param files paths of the bundle's inputs; paths in the workspace itself are left out
 * @throws {Error} for a package without a licence text, if we have no text of its licence either
 */
export function collectLicences(files: readonly string[]): string {
  return joinTexts(new Set(files.flatMap((file) => findPackage(file) ?? [])))
}

/**
 * The licence texts of all packages that a package depends on, directly or not: at least the texts of everything that
 * a bundler may take from them.
 *
 * @param folder the folder of the package; its own text is left out
 * @param options.leftOut names of packages that are left out, with the packages that only they depend on
 * @throws {Error} as {@link collectLicences} does
 */
export function collectDependencyLicences(folder: string, { leftOut }: { readonly leftOut: RegExp }): string {
  const found = new Set<string>()
  const visit = (from: string): void => {
    for (const name of Object.keys(readManifest(from).dependencies ?? {})) {
      const installed = leftOut.test(name) ? undefined : findInstalled(name, from)
      if (installed === undefined || found.has(installed)) continue
      found.add(installed)
      visit(installed)
    }
  }
  visit(realpathSync(folder))
  return joinTexts(found)
}

/** The folder of a package as another one finds it. */
function findInstalled(name: string, from: string): string | undefined {
  const path = join(from, 'node_modules', name)
  if (existsSync(path)) return realpathSync(path)
  const above = dirname(from)
  return above === from ? undefined : findInstalled(name, above)
}

function joinTexts(folders: ReadonlySet<string>): string {
  return [...folders]
    .map(describePackage)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** The folder of the installed package that a file belongs to. */
function findPackage(file: string): string | undefined {
  return /^(?!late:).*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]
}

/** Parts of a package's manifest. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
  readonly dependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function describePackage(folder: string): string {
  const manifest = readManifest(folder)
  const { name, version, license = '' } = manifest
  const own = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const texts = own.length > 0 ? own : [nameAuthor(manifest), ...readTexts(manifest)]
  return `${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`
}

function nameAuthor({ name, author }: Manifest): string {
  const who = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`)
  return `Copyright ${who}`
}

function readTexts({ name, license = '' }: Manifest): string[] {
  const ids = license.match(/[A-Za-z0-9.-]+/g)?.filter((word) => word !== 'AND' && word !== 'OR') ?? []
  if (ids.length === 0) throw new Error(`${name} names no licence`)
  return ids.map((id) => readFileSync(new URL(`${id}.txt`, TEXTS), 'utf8').trim())
}
