import { expect, it } from 'vitest'
import { listCodeBlocks, packAndInstall, readReadme } from './packed.ts'

it('finds the code blocks of one language', () => {
  const markdown = 'a\n```ts\nconst a = 1\n```\n```sh\nls\n```\n\n```ts\nconst b = `x`\nb\n```\n'
  expect(listCodeBlocks(markdown, 'ts')).toEqual(['const a = 1\n', 'const b = `x`\nb\n'])
  expect(listCodeBlocks(markdown, 'py')).toEqual([])
})

it('reads the README of a workspace package', async () => {
  expect(await readReadme('@svc/errors')).toMatch(/^# @svc\/errors\n/)
  await expect(readReadme('@svc/nothing')).rejects.toThrow('no workspace package @svc/nothing')
})

it('refuses a package that is not in the workspace before it does anything', async () => {
  await expect(packAndInstall({ packages: ['@svc/nothing'], dir: '/nonexistent' })).rejects.toThrow('@svc/nothing')
})
