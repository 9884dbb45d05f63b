import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Packages of ours that bring a build only where it runs: those of the engine say that they run on x64 too. */
const OUR_PACKAGES: Readonly<Record<string, string>> = {
  '@node-llama-cpp/linux-arm64': '@svc/llama-linux-arm64',
  '@node-llama-cpp/linux-armv7l': '@svc/llama-linux-armv7l',
}

/**
 * Imports the package of a build of llama.cpp: the bundled engine calls this in place of its own imports.
 *
 * @throws {Error} when it is not installed
 */
export async function importBuild(name: string): Promise<unknown> {
  for (const installed of [OUR_PACKAGES[name], name]) {
    if (installed === undefined) continue
    try {
      return await import(installed)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  // In a checkout only the engine's own package finds its builds.
  const engine = createRequire(import.meta.resolve('node-llama-cpp'))
  return import(pathToFileURL(engine.resolve(name)).href)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
