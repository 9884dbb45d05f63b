import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { createLog, type Log } from '@svc/backend-kit'

/** Packages of ours that bring a build only where it runs: the engine's own packages say that they run on x64 too. */
const OUR_PACKAGES: Readonly<Record<string, string>> = {
  '@node-llama-cpp/linux-arm64': '@svc/llama-linux-arm64',
  '@node-llama-cpp/linux-armv7l': '@svc/llama-linux-armv7l',
}

/** A package of a build. */
export interface BuildPackage {
  readonly getBinsDir?: () => { readonly packageVersion: string }
}

/** The outside of {@link importBuild}. */
export interface ImportBuildParts {
  /** @throws {Error} with the code `ERR_MODULE_NOT_FOUND` when the package is not installed */
  readonly load: (specifier: string) => Promise<unknown>
  readonly log: Log
}

const OWN_PARTS: ImportBuildParts = { load: (specifier) => import(specifier), log: createLog(process.stderr) }

/**
 * Imports the package of a build of llama.cpp: the bundled engine calls this in place of its own imports. The engine
 * passes over a build of another version; then a line on stderr names the command that installs the right one.
 *
 * @param name of a package
 * @param version of the engine
 * @throws {Error} when it is not installed
 */
export async function importBuild(
  name: string,
  version: string,
  { load, log }: ImportBuildParts = OWN_PARTS,
): Promise<BuildPackage> {
  const build = await importInstalled(name, load)
  const found = build.getBinsDir?.().packageVersion
  if (found !== undefined && found !== version) {
    const remedy = `npm install -g ${name}@${version}`
    log.warn(`${name} ${found} is not used: the engine needs ${version} (${remedy})`)
  }
  return build
}

async function importInstalled(name: string, load: ImportBuildParts['load']): Promise<BuildPackage> {
  for (const place of [OUR_PACKAGES[name], name]) {
    if (place === undefined) continue
    try {
      return (await load(place)) as BuildPackage
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  // In a checkout only the engine's own package finds its builds.
  const engine = createRequire(import.meta.resolve('node-llama-cpp'))
  return (await load(pathToFileURL(engine.resolve(name)).href)) as BuildPackage
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
