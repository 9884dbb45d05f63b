import { isAbsolute, relative, sep } from 'node:path'

/** A path relative to the folder that holds it, with slashes; undefined for the folder itself and for a path outside. */
export function relativeInside(folder: string, path: string): string | undefined {
  const inner = relative(folder, path)
  const isOutside = inner === '' || inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner)
  return isOutside ? undefined : inner.split(sep).join('/')
}
