import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))
/** The folder of what all pages share. */
export const STYLES = join(SOURCES, 'styles')

/** All sources of the interface. */
export const files: readonly string[] = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((name) =>
  join(SOURCES, name),
)
export const sheets: readonly string[] = files.filter((name) => name.endsWith('.css'))
export const modules: readonly string[] = sheets.filter((name) => name.endsWith('.module.css'))

/** Names a file as its readers do. */
export const nameOf = (file: string): string => relative(SOURCES, file)

/** Reads the selectors of a sheet, without comments and declarations. */
export function readSelectors(file: string): string {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...text.matchAll(/([^{};]+)\{/g)].map(([, head = '']) => (head.trim().startsWith('@') ? '' : head)).join('\n')
}

const listClasses = (selectors: string): Set<string> =>
  new Set([...selectors.matchAll(/\.(-?[A-Za-z_][\w-]*)/g)].map(([, name = '']) => name))

/** A class of another sheet in a module. */
export const GLOBAL = /:global\(\.([\w-]+)\)/g

/** Lists the classes that a module names itself. */
export const readOwn = (file: string): ReadonlySet<string> => listClasses(readSelectors(file).replace(GLOBAL, ''))

/** The classes that all pages share. */
export const globals: ReadonlySet<string> = new Set(
  sheets.filter((file) => dirname(file) === STYLES).flatMap((file) => [...listClasses(readSelectors(file))]),
)
