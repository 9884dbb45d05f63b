import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Gives the path of a file in this folder that is not part of the bundle. The package ships it in its folder
 * of `src` (`files` of its manifest), where a bundle finds it.
 *
 * @param name relative to this folder: `migrations/sqlite`
 * @throws {Error} when the package is incomplete
 */
export function findShippedPath(name: string): string {
  const places = [`./${name}`, `../src/db/${name}`].map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`${name} is missing from the installation: ${places.join(', ')}`)
  return found
}
