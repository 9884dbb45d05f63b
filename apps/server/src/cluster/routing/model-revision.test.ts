import { expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { toLoadRequest } from '../../residency/to-load-request.ts'
import { createRevisionOf } from './model-revision.ts'

const revisionOf = createRevisionOf((model) => toLoadRequest(model, { randomSeed: 1 }))

it.each([
  'm.gguf',
  // A folder inside has the name of the models folder of one server.
  'org/models/m.gguf',
  'models/models/m.gguf',
])('names the revision of a model with the weights %s alike on servers with different folders', (file) => {
  const onServer = (folder: string): ModelConfig =>
    createModel({
      folder,
      options: [`vocoder:${folder}/voice.gguf`, `parts:${folder}/a,${folder}/b`],
      llm: { mmproj: 'org/models/p.gguf' },
      threads: folder.length,
      parameters: { model: file },
    })
  const [one, two, three] = ['/models', '/srv/m', '/srv/models'].map((folder) => revisionOf(onServer(folder)))
  expect([two, three]).toEqual([one, one])
})

it('names a changed model otherwise', () => {
  const names = [createModel(), createModel({ threads: 2, raw: { threads: 2 } }), createModel({ backend: 'b' })]
  expect(new Set(names.map(revisionOf)).size).toBe(3)
  expect(revisionOf(createModel({ weightsError: 'torn' }))).toBe('invalid')
})
