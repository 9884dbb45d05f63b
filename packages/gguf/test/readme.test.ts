import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import * as gguf from '@svc/gguf'
import { expect, it } from 'vitest'

it('prints the output that the README states', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const code = /```ts\n(?<code>[\s\S]+?)```/.exec(readme)?.groups?.code ?? ''
  const printed: string[] = []
  const console = { log: (line: string) => printed.push(line) }
  runInNewContext(code.replace(/^import .*$/m, ''), { ...gguf, TextEncoder, console })
  expect(printed).toEqual(['notes.gguf is not a GGUF file'])
  expect(code).toContain(`// ${printed[0]}`)
})
