import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { chatGguf, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createConfigStore } from './config-store.ts'
import { deleteModel } from './delete-model.ts'
import { findModel, formatModel } from './list-models.ts'

async function world(files: Readonly<Record<string, string | Uint8Array>>) {
  const dir = await tempDir()
  const folder = dir.join('models')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(`${folder}/${name}`, content)
  const store = () => createConfigStore({ folder })
  return {
    remove: (name: string) => deleteModel(store(), findModel(store(), name)),
    show: (name: string) => formatModel(findModel(store(), name)),
    left: () => readdirSync(folder).sort(),
    [Symbol.asyncDispose]: () => dir.close(),
  }
}

const yaml = (name: string, weights: string): string =>
  `name: ${name}\nbackend: llama\nparameters:\n  model: ${weights}\n`

describe('deleting a model', () => {
  it('takes its file and its weights, and nothing of other models', async () => {
    await using here = await world({
      'a.yaml': yaml('a', 'a.gguf'),
      'a.gguf': chatGguf(),
      'b.yaml': yaml('b', 'b.gguf'),
      'b.gguf': chatGguf(),
    })
    expect(await here.remove('a')).toEqual(['a.yaml', 'a.gguf'])
    expect(here.left()).toEqual(['b.gguf', 'b.yaml'])
  })

  it('leaves weights that another model uses', async () => {
    await using here = await world({
      'a.yaml': yaml('a', 'shared.gguf'),
      'b.yaml': yaml('b', 'shared.gguf'),
      'shared.gguf': chatGguf(),
    })
    expect(await here.remove('a')).toEqual(['a.yaml'])
    await expect(here.remove('shared.gguf')).rejects.toThrow(/a file that another model uses/)
    expect(here.left()).toEqual(['b.yaml', 'shared.gguf'])
  })

  it('takes a file without a model file', async () => {
    await using here = await world({ 'loose.gguf': chatGguf() })
    expect(await here.remove('loose.gguf')).toEqual(['loose.gguf'])
    expect(here.left()).toEqual([])
  })

  it('refuses models that others need, and suggests similar names', async () => {
    await using here = await world({
      'a.yaml': yaml('little', 'a.gguf'),
      'a.gguf': chatGguf(),
      'alias.yaml': 'name: other\nalias: little\n',
    })
    await expect(here.remove('little')).rejects.toThrow(/"other" redirects to/)
    await expect(async () => here.remove('litle')).rejects.toThrow('there is no model "litle" (did you mean little?)')
    expect(here.left()).toHaveLength(3)
  })
})

it('a model is shown with its known facts', async () => {
  await using here = await world({ 'a.yaml': yaml('a', 'a.gguf'), 'a.gguf': chatGguf() })
  const shown = here.show('a')
  for (const line of [/^name +a$/m, /^backend +llama$/m, /^weights +a\.gguf$/m, /^file +\/.*\/models\/a\.yaml$/m]) {
    expect(shown).toMatch(line)
  }
})
