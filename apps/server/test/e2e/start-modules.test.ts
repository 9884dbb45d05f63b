import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
/** Most that a start may load of the bundle: every megabyte costs 20 ms of processor time. */
const MAX_START_BYTES = 2_200_000

/** Parts of the paths of modules that no start needs: they are loaded with their first use. */
const LATE = [
  'node_modules/@bufbuild/protobuf/',
  'node_modules/@modelcontextprotocol/sdk/',
  'node_modules/@nats-io/',
  'node_modules/@opentelemetry/',
  'node_modules/croner/',
  'node_modules/drizzle-orm/pg-core/table.js',
  'node_modules/drizzle-orm/sqlite-core/table.js',
  'node_modules/js-yaml/',
  'node_modules/oauth4webapi/',
  'node_modules/openid-client/',
  'node_modules/postgres/',
  'node_modules/prom-client/',
  'node_modules/re2js/',
  'node_modules/ws/',
  'node_modules/yaml/',
  'packages/backend-client/src/gen/',
  'packages/documents/src/',
  'packages/reply-parser/src/',
  'packages/router/src/',
  'packages/templates/src/',
  'packages/wire/src/native/',
  'packages/wire/src/openai/',
]

const read = (file: string): string => readFileSync(DIST + file, 'utf8')

/** The modules in a file of the bundle, which names each above its code. */
const listModules = (text: string): readonly string[] =>
  [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, path = '']) => path)

/** The files that a start loads: the program and what it imports, without the imports that come later. */
function listStartFiles(file = 'main.js', found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of read(file).matchAll(/^(?:import|\} from) ?"\.\/([^"]+)";$/gm)) listStartFiles(path, found)
  return found
}

describe('the modules that a start loads', () => {
  const files = [...listStartFiles()]
  const modules = files.flatMap((file) => listModules(read(file)))

  it.each(LATE)('have none of %s', (part) => {
    expect(modules.filter((path) => path.includes(part))).toEqual([])
  })

  it('have no texts of zod in other languages', () => {
    const languages = modules.filter((path) => /\/zod\/v4\/locales\//.test(path) && !path.endsWith('/en.js'))
    expect(languages).toEqual([])
  })

  it('stay small', () => {
    expect(modules.length).toBeGreaterThan(500)
    expect(files.reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0)).toBeLessThan(MAX_START_BYTES)
  })

  it('are not all modules: each of the late ones is in another file', () => {
    const others = readdirSync(DIST).filter((file) => file.endsWith('.js') && !files.includes(file))
    const late = others.flatMap((file) => listModules(read(file)))
    expect(LATE.filter((part) => !late.some((path) => path.includes(part)))).toEqual([])
  })
})
