import { type FunctionTable, fixed } from '../function.ts'

/** Slash-separated paths; the `os…` forms are the same, as on Linux. */
export const PATH_FUNCTIONS: FunctionTable = withOs({
  Base: fixed(['string'], (_, path) => base(path)),
  Dir: fixed(['string'], (_, path) => clean(path.slice(0, path.lastIndexOf('/') + 1))),
  Clean: fixed(['string'], (_, path) => clean(path)),
  Ext: fixed(['string'], (_, path) => extension(path)),
  IsAbs: fixed(['string'], (_, path) => path.startsWith('/')),
})

function withOs(table: FunctionTable): FunctionTable {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, implementation]) => [
      [name.charAt(0).toLowerCase() + name.slice(1), implementation],
      [`os${name}`, implementation],
    ]),
  )
}

function base(path: string): string {
  if (path === '') return '.'
  let end = path.length
  while (end > 0 && path.charAt(end - 1) === '/') end--
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

/** The shortest form: no empty parts, no `.`, `..` taken together with the part before it. */
function clean(path: string): string {
  const isRooted = path.startsWith('/')
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isRooted) kept.push(part)
  }
  const joined = kept.join('/')
  if (isRooted) return `/${joined}`
  return joined === '' ? '.' : joined
}
