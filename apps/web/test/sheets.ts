import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))
/** The folder of the styles that all pages share. */
export const STYLES = join(SOURCES, 'styles')

/** All sources of the interface. */
export const files: readonly string[] = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((name) =>
  join(SOURCES, name),
)
export const sheets: readonly string[] = files.filter((name) => name.endsWith('.css'))
export const modules: readonly string[] = sheets.filter((name) => name.endsWith('.module.css'))

/** Names a file as its readers do. */
export const toSheetName = (file: string): string => relative(SOURCES, file)

/** Reads a sheet without its comments. */
const readSheet = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')

/** Reads the selectors of a sheet, without comments and declarations. */
export function readSelectors(file: string): string {
  const heads = Array.from(readSheet(file).matchAll(/([^{};]+)\{/g), ([, head = '']) => head)
  return heads.filter((head) => !head.trim().startsWith('@')).join('\n')
}

/** Reads the selectors that are not inside another rule, one by one. */
export function readTopSelectors(file: string): readonly string[] {
  const selectors: string[] = []
  const around: string[] = []
  for (const [, text = '', mark] of readSheet(file).matchAll(/([^{};]*)([{};])/g)) {
    const head = text.trim()
    if (mark === '}') around.pop()
    if (mark !== '{') continue
    const isTop = around.every((outer) => /^@(?!keyframes)/.test(outer))
    if (isTop && !head.startsWith('@')) selectors.push(...splitSelectors(head))
    around.push(head)
  }
  return selectors
}

/** Splits a list of selectors at the commas outside of parentheses. */
function splitSelectors(list: string): readonly string[] {
  let depth = 0
  const marked = list.replace(/[(),]/g, (sign) => {
    if (sign === ',') return depth === 0 ? '\n\n' : sign
    depth += sign === '(' ? 1 : -1
    return sign
  })
  return marked.split('\n\n').map((selector) => selector.trim())
}

/** Lists the classes in selectors. */
export const listClasses = (selectors: string): Set<string> =>
  new Set([...selectors.matchAll(/\.(-?[A-Za-z_][\w-]*)/g)].map(([, name = '']) => name))

/** A class of another sheet in a module. */
export const GLOBAL = /:global\(\.([\w-]+)\)/g

/** Lists the classes that a module names itself. */
export const readOwn = (file: string): ReadonlySet<string> => listClasses(readSelectors(file).replace(GLOBAL, ''))

/** The classes that all pages share. */
export const globals: ReadonlySet<string> = new Set(
  sheets.filter((file) => dirname(file) === STYLES).flatMap((file) => [...listClasses(readSelectors(file))]),
)
