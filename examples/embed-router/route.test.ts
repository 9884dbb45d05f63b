import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('routes by the labelled texts nearest to a prompt, and by the fallback where none is near', async () => {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const program = fileURLToPath(new URL('route.ts', import.meta.url))
  const args = ['--conditions=@svc/source', '--import', tsx, program]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect(stderr).toBe('')
  expect(stdout.trimEnd().split('\n')).toEqual([
    '2 texts',
    'Can you fix the bugs in my function? -> large (code, covered)',
    'And how are you? -> small (chat, covered)',
    '12345 -> large (fallback, no-label)',
  ])
})
