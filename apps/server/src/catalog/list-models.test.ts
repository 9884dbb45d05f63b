import { writeFileSync } from 'node:fs'
import { chatGguf, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createConfigStore } from './config-store.ts'
import { formatModelRows, toModelRows } from './list-models.ts'

it('shows every model on a line', async () => {
  await using dir = await tempDir()
  writeFileSync(dir.join('a.gguf'), chatGguf())
  writeFileSync(dir.join('b.yaml'), 'name: b\nparameters: {model: gone.gguf}\ndisabled: true')
  writeFileSync(dir.join('c.yaml'), 'name: short\nalias: b')
  writeFileSync(dir.join('d.yaml'), 'name: plain')
  await using delivered = await tempDir()
  writeFileSync(delivered.join('d.gguf'), chatGguf())
  const source = { name: 'demo', file: delivered.join('d.gguf'), usecases: ['chat' as const], contextSize: 9 }
  const store = createConfigStore({ folder: dir.path, demo: { mode: 'true', models: [source] } })
  expect(toModelRows(store)).toEqual([
    { name: 'a.gguf', backend: 'llama', usecases: 'chat,completion,edit,tokenize', file: 'a.gguf', note: '' },
    {
      name: 'b',
      backend: 'llama',
      usecases: '-',
      file: 'b.yaml',
      note: 'disabled; file "gone.gguf" is not in the models folder',
    },
    { name: 'demo', backend: 'llama', usecases: 'chat,completion,edit,tokenize', file: 'd.gguf', note: 'demo' },
    { name: 'plain', backend: '-', usecases: '-', file: 'd.yaml', note: '' },
    { name: 'short', backend: '→ b', usecases: '-', file: 'c.yaml', note: '' },
  ])
})

it('writes a table without white space at the end of lines', () => {
  const rows = [
    { name: 'long-name', backend: 'x', usecases: 'chat', file: 'f', note: '' },
    { name: 'n', backend: 'backend', usecases: '-', file: 'file', note: 'demo' },
  ]
  expect(formatModelRows(rows)).toBe(
    [
      'NAME       BACKEND  USECASES  FILE',
      'long-name  x        chat      f',
      'n          backend  -         file  demo',
      '',
    ].join('\n'),
  )
  expect(formatModelRows([])).toBe('NAME  BACKEND  USECASES  FILE\n')
})
