import { describe, expect, it } from 'vitest'
import { listNames } from '../catalog/keys/named-paths.ts'
import { EMPTY_DOCUMENT } from './model-document.ts'
import { planModel } from './model-plan.ts'
import { findUnits, nameUnit, renameInPlan } from './relocate-files.ts'

type Fields = Readonly<Record<string, unknown>>

function plan(config: Fields, filenames: readonly string[], templates: readonly string[] = []) {
  const files = filenames.map((filename) => ({ filename, uri: `https://example.com/${filename}` }))
  const document = { ...EMPTY_DOCUMENT, promptTemplates: templates.map((name) => ({ name, content: name })) }
  const entry = { name: 'm', files, configFile: { backend: 'mock', ...config }, overrides: {} }
  return planModel(entry, document, {})
}

/** The configuration after the files whose places are taken have moved to the folder `d`. */
function relocate(
  config: Fields,
  filenames: readonly string[],
  taken: readonly string[],
  templates: readonly string[] = [],
) {
  const before = plan(config, filenames, templates)
  const all = [...before.files, ...before.templates].map(({ filename }) => filename)
  const units = findUnits(taken, { filenames: all, config: before.config })
  const names = new Map(units.flatMap((unit) => [...nameUnit(unit, 'd')]))
  const after = renameInPlan(before, names)
  const { backend: _, name: __, ...rest } = after.config
  return { config: rest, files: [...after.files, ...after.templates].map(({ filename }) => filename) }
}

describe('files whose places are taken', () => {
  it.each<[string, Fields, readonly string[], readonly string[], Fields, readonly string[]]>([
    [
      'weights',
      { parameters: { model: 'w.gguf' } },
      ['w.gguf'],
      ['w.gguf'],
      { parameters: { model: 'd/w.gguf' } },
      ['d/w.gguf'],
    ],
    [
      'a projector in a folder',
      { mmproj: 'llama-cpp/mmproj/f16.gguf', parameters: { model: 'llama-cpp/models/w.gguf' } },
      ['llama-cpp/mmproj/f16.gguf', 'llama-cpp/models/w.gguf'],
      ['llama-cpp/mmproj/f16.gguf'],
      { mmproj: 'llama-cpp/mmproj/d/f16.gguf', parameters: { model: 'llama-cpp/models/w.gguf' } },
      ['llama-cpp/mmproj/d/f16.gguf', 'llama-cpp/models/w.gguf'],
    ],
    [
      'files that options name',
      {
        options: ['vae_path:ae.st', 'clip=./clip.st', 'ae.st', 'mode:ae', 'other:x/ae.st'],
        parameters: { model: 'w' },
      },
      ['ae.st', 'clip.st'],
      ['ae.st', 'clip.st'],
      {
        options: ['vae_path:d/ae.st', 'clip=d/clip.st', 'd/ae.st', 'mode:ae', 'other:x/ae.st'],
        parameters: { model: 'w' },
      },
      ['d/ae.st', 'd/clip.st'],
    ],
    [
      'deep options of an engine',
      { engine_args: { draft: { model: 'x.bin' }, list: ['x.bin'], note: 'about x.bin' } },
      ['x.bin'],
      ['x.bin'],
      { engine_args: { draft: { model: 'd/x.bin' }, list: ['d/x.bin'], note: 'about x.bin' } },
      ['d/x.bin'],
    ],
    [
      'all parts of weights',
      { parameters: { model: 'a/w-00001-of-00002.gguf' } },
      ['a/w-00001-of-00002.gguf', 'a/w-00002-of-00002.gguf', 'a/v-00001-of-00002.gguf'],
      ['a/w-00002-of-00002.gguf'],
      { parameters: { model: 'a/d/w-00001-of-00002.gguf' } },
      ['a/d/w-00001-of-00002.gguf', 'a/d/w-00002-of-00002.gguf', 'a/v-00001-of-00002.gguf'],
    ],
    [
      'everything below a folder that is named',
      { parameters: { model: 'voices/en' } },
      ['voices/en/model.onnx', 'voices/en/deep/x.json', 'voices/other.bin'],
      ['voices/en/deep/x.json'],
      { parameters: { model: 'voices/d/en' } },
      ['voices/d/en/model.onnx', 'voices/d/en/deep/x.json', 'voices/other.bin'],
    ],
    [
      'a folder that is named with a slash',
      { parameters: { model: './voices/' } },
      ['voices/a', 'voices/b'],
      ['voices/b'],
      { parameters: { model: 'd/voices' } },
      ['d/voices/a', 'd/voices/b'],
    ],
    [
      'files below a folder that is called like a backend or an option',
      { backend: 'mock', known_usecases: ['chat'], options: ['backend:piper'], parameters: { model: 'mock/w' } },
      ['mock/w', 'chat/x', 'piper/y'],
      ['mock/w', 'chat/x', 'piper/y'],
      { known_usecases: ['chat'], options: ['backend:piper'], parameters: { model: 'mock/d/w' } },
      ['mock/d/w', 'chat/d/x', 'piper/d/y'],
    ],
    [
      'text for people',
      {
        description: 'w.bin',
        usage: 'w.bin',
        system_prompt: 'w.bin',
        stopwords: ['w.bin'],
        parameters: { model: 'w.bin' },
      },
      ['w.bin'],
      ['w.bin'],
      {
        description: 'w.bin',
        usage: 'w.bin',
        system_prompt: 'w.bin',
        stopwords: ['w.bin'],
        parameters: { model: 'd/w.bin' },
      },
      ['d/w.bin'],
    ],
  ])('move with what names them: %s', (_what, config, filenames, taken, expected, names) => {
    expect(relocate(config, filenames, taken)).toEqual({ config: expected, files: names })
  })

  it('may be templates, by name or beside the weights', () => {
    const config = { template: { chat: 'frame', completion: 'frame {{.Input}}' }, parameters: { model: 'w.bin' } }
    expect(relocate(config, ['w.bin'], ['frame.tmpl'], ['frame', 'w.bin'])).toEqual({
      config: { template: { chat: 'd/frame', completion: 'frame {{.Input}}' }, parameters: { model: 'w.bin' } },
      files: ['w.bin', 'd/frame.tmpl', 'w.bin.tmpl'],
    })
    expect(relocate(config, ['w.bin'], ['w.bin'], ['frame', 'w.bin'])).toEqual({
      config: { template: { chat: 'frame', completion: 'frame {{.Input}}' }, parameters: { model: 'd/w.bin' } },
      files: ['d/w.bin', 'frame.tmpl', 'd/w.bin.tmpl'],
    })
  })
})

it('names of files are read where files can be named, and nowhere else', () => {
  const config = {
    name: 'a',
    backend: 'b',
    mmproj: './c/',
    options: ['d:e', 'f'],
    template: { chat: 'g' },
    lora_adapters: ['h'],
    description: 'i',
    unknown: 'j',
  }
  expect(listNames(config).map(({ text, kind }) => `${kind} ${text}`)).toEqual([
    ...['path c', 'option e', 'option f', 'template g', 'path h'],
  ])
})
