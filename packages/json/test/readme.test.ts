import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import * as json from '@svc/json'
import { expect, it } from 'vitest'

const IMPORT = /^import \{ (?<names>[^}]+) \} from '@svc\/json'$/m

it('the example of the README prints the stated output', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const code = /```ts\n(?<code>[^`]+)```/.exec(readme)?.groups?.code ?? ''
  const printed: string[] = []
  const console = { log: (line: string) => printed.push(line) }
  runInNewContext(code.replace(IMPORT, ''), { ...json, TextEncoder, TextDecoder, console })
  expect(printed).toEqual(['{ "model":"demo",  "temperature":1.50, "x_vendor":[1,1e2] }'])
  expect(code).toContain(`// ${printed[0]}`)
  const imported = IMPORT.exec(code)?.groups?.names?.split(', ') ?? []
  expect(Object.keys(json)).toEqual(expect.arrayContaining(imported))
})
