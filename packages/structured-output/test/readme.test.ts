import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import * as structuredOutput from '@svc/structured-output'
import { expect, it } from 'vitest'

it('prints the output that the README states', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const code = /```ts\n(?<code>[\s\S]+?)```/.exec(readme)?.groups?.code ?? ''
  const printed: string[] = []
  const console = { log: (line: unknown) => printed.push(String(line)) }
  runInNewContext(code.replace(/^import .*$/m, ''), { ...structuredOutput, console })
  expect(printed).toEqual([...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line))
  expect(printed).toHaveLength(3)
})
