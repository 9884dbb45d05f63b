import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { chatGguf, ggufBytes, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type AddModelOptions, addModel } from './add-model.ts'
import { createConfigStore } from './config-store.ts'

async function world() {
  const dir = await tempDir()
  const folder = dir.join('models')
  mkdirSync(dir.join('downloads'))
  const source = (name: string, bytes: Uint8Array = chatGguf()) => {
    writeFileSync(dir.join('downloads', name), bytes)
    return dir.join('downloads', name)
  }
  const add = (options: Partial<AddModelOptions> & { readonly source: string }) =>
    addModel({ folder, signal: new AbortController().signal, ...options })
  const store = () => createConfigStore({ folder })
  return { dir, folder, source, add, store, [Symbol.asyncDispose]: () => dir.close() }
}

describe('adding a GGUF file', () => {
  it('copies it and writes a model file of three keys, so that it is listed under a clean name', async () => {
    await using here = await world()
    const source = here.source('Tiny-Q4.gguf')
    expect(await here.add({ source })).toEqual({
      name: 'Tiny-Q4',
      weightsFile: 'Tiny-Q4.gguf',
      configFile: 'Tiny-Q4.yaml',
      sizeBytes: chatGguf().length,
    })
    expect(readdirSync(here.folder).sort()).toEqual(['Tiny-Q4.gguf', 'Tiny-Q4.yaml'])
    expect(readFileSync(`${here.folder}/Tiny-Q4.yaml`, 'utf8')).toBe(
      'name: Tiny-Q4\nbackend: llama\nparameters:\n  model: Tiny-Q4.gguf\n',
    )
    expect(readFileSync(`${here.folder}/Tiny-Q4.gguf`)).toEqual(chatGguf())
    const store = here.store()
    expect(store.list().map(({ name }) => name)).toEqual(['Tiny-Q4'])
    expect(store.problems()).toEqual([])
    expect(readFileSync(source)).toEqual(chatGguf())
  })

  it('reports a file without a chat template', async () => {
    await using here = await world()
    const base = ggufBytes({ values: { 'general.architecture': ['text', 'llama'] } })
    const encoder = ggufBytes({ values: { 'general.architecture': ['text', 'bert'] } })
    expect(await here.add({ source: here.source('base.gguf', base) })).toMatchObject({ continuesText: true })
    expect(await here.add({ source: here.source('bert.gguf', encoder) })).not.toHaveProperty('continuesText', true)
  })

  it.each([
    ['my model', 'my%20model'],
    ['org/model', 'org%2Fmodel'],
    ['größe', 'gr%C3%B6%C3%9Fe'],
    ['yes', 'yes'],
    ['1.0', '1.0'],
    ['null', 'null'],
    ['a: b #c', 'a%3A%20b%20%23c'],
    ['it\'s "x"', 'it%27s%20%22x%22'],
  ])('takes the name %s', async (name, file) => {
    await using here = await world()
    const added = await here.add({ source: here.source('x.gguf'), name })
    expect(added).toMatchObject({ name, weightsFile: `${file}.gguf`, configFile: `${file}.yaml` })
    expect(here.store().get(name)).toMatchObject({ name, backend: 'llama', parameters: { model: `${file}.gguf` } })
    expect(here.store().problems()).toEqual([])
  })

  it('writes a hyphen for each blank of a file name', async () => {
    await using here = await world()
    const added = await here.add({ source: here.source('My small  Model Q4.gguf') })
    expect(added).toMatchObject({ name: 'My-small-Model-Q4', weightsFile: 'My-small-Model-Q4.gguf' })
  })

  it('moves it where that is asked for, and leaves it where it cannot be added', async () => {
    await using here = await world()
    const source = here.source('x.gguf')
    expect(await here.add({ source, transfer: 'move' })).toMatchObject({ name: 'x' })
    expect(readdirSync(here.dir.join('downloads'))).toEqual([])
    const again = here.source('x.gguf')
    await expect(here.add({ source: again, transfer: 'move' })).rejects.toThrow(/exists already/)
    expect(readdirSync(here.dir.join('downloads'))).toEqual(['x.gguf'])
  })

  it('tells how far it is', async () => {
    await using here = await world()
    const bytes = ggufBytes({ data: 3_000_000 })
    const seen: { copiedBytes: number; totalBytes: number }[] = []
    await here.add({ source: here.source('big.gguf', bytes), onProgress: (done) => seen.push(done) })
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.map(({ copiedBytes }) => copiedBytes)).toEqual(
      [...seen.map(({ copiedBytes }) => copiedBytes)].sort((a, b) => a - b),
    )
    expect(seen.at(-1)).toEqual({ copiedBytes: bytes.length, totalBytes: bytes.length })
  })

  it('links it where that is wanted', async () => {
    await using here = await world()
    const source = here.source('x.gguf')
    await here.add({ source, transfer: 'link' })
    expect(statSync(`${here.folder}/x.gguf`).ino).toBe(statSync(source).ino)
  })

  it('follows a link to it', async () => {
    await using here = await world()
    symlinkSync(here.source('blob.gguf'), here.dir.join('named.gguf'))
    expect(await here.add({ source: here.dir.join('named.gguf') })).toMatchObject({ name: 'named' })
    expect(readFileSync(`${here.folder}/named.gguf`)).toEqual(chatGguf())
  })

  it('leaves it where it is when that is the models folder already', async () => {
    await using here = await world()
    mkdirSync(here.folder)
    writeFileSync(`${here.folder}/here.gguf`, chatGguf())
    const inode = statSync(`${here.folder}/here.gguf`).ino
    expect(await here.add({ source: `${here.folder}/here.gguf`, name: 'nice' })).toMatchObject({
      weightsFile: 'here.gguf',
      configFile: 'nice.yaml',
    })
    expect(statSync(`${here.folder}/here.gguf`).ino).toBe(inode)
    expect(
      here
        .store()
        .list()
        .map(({ name }) => name),
    ).toEqual(['nice'])
  })
})

describe('files that are refused', () => {
  it.each<[string, string, Uint8Array, RegExp]>([
    ['no GGUF name', 'x.bin', chatGguf(), /does not end in \.gguf/],
    ['no GGUF content', 'x.gguf', Buffer.alloc(100, 'x'), /x\.gguf is not a GGUF file/],
    ['cut off', 'x.gguf', chatGguf().subarray(0, 99), /cut off/],
    ['part of several', 'x-00001-of-00003.gguf', chatGguf(), /one part of several/],
    [
      'a projector',
      'x.gguf',
      ggufBytes({ values: { 'general.architecture': ['text', 'clip'] } }),
      /not a model by itself/,
    ],
  ])('%s', async (_name, file, bytes, message) => {
    await using here = await world()
    await expect(here.add({ source: here.source(file, bytes) })).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'not_a_model',
      message: expect.stringMatching(message),
    })
    expect(here.store().list()).toEqual([])
  })

  it.each(['', '../x', '-x', 'a\nbackend: evil', 'x'.repeat(201), 'a\u202eb', '.x', 'a//b'])(
    'the name %j',
    async (name) => {
      await using here = await world()
      await expect(here.add({ source: here.source('x.gguf'), name })).rejects.toMatchObject({ code: 'invalid_name' })
      expect(here.store().list()).toEqual([])
    },
  )

  it('a file that is not there, or a folder', async () => {
    await using here = await world()
    await expect(here.add({ source: here.dir.join('none.gguf') })).rejects.toMatchObject({ code: 'file_not_found' })
    mkdirSync(here.dir.join('folder.gguf'))
    await expect(here.add({ source: here.dir.join('folder.gguf') })).rejects.toMatchObject({ code: 'not_a_model' })
  })

  it.each([
    ['a model file', 'x.yaml', 'name: other'],
    ['weights', 'x.gguf', 'something'],
    ['a model of that name', 'another.yaml', 'name: x\nbackend: y'],
  ])('where %s stands', async (_name, file, content) => {
    await using here = await world()
    mkdirSync(here.folder)
    writeFileSync(`${here.folder}/${file}`, content)
    await expect(here.add({ source: here.source('x.gguf') })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'model_exists',
    })
    expect(readdirSync(here.folder)).toEqual([file])
    expect(readFileSync(`${here.folder}/${file}`, 'utf8')).toBe(content)
  })

  it('after an abort: nothing is left behind', async () => {
    await using here = await world()
    const stop = new AbortController()
    const source = here.source('x.gguf', ggufBytes({ data: 5_000_000 }))
    const adding = here.add({ source, signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
    await expect(adding).rejects.toThrow('enough')
    expect(readdirSync(here.folder)).toEqual([])
  })

  it('when another file takes the name meanwhile: that file stays, and nothing else is left', async () => {
    await using here = await world()
    const source = here.source('x.gguf')
    const adding = here.add({ source, onProgress: () => linkSync(source, `${here.folder}/x.yaml`) })
    await expect(adding).rejects.toMatchObject({ code: 'model_exists' })
    expect(readdirSync(here.folder)).toEqual(['x.yaml'])
    expect(readFileSync(`${here.folder}/x.yaml`)).toEqual(chatGguf())
  })
})
