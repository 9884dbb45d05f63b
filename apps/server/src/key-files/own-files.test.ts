import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createOwnFileCheck } from './own-files.ts'

it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['weights', { parameters: { model: 'data/own' } }, false],
  ['weights of an absolute path', { parameters: { model: 'FOLDER/data/own' } }, false],
  ['weights by a way round', { parameters: { model: 'x/../data/./own' } }, false],
  ['a projector', { mmproj: 'data/own' }, false],
  ['one of several adapters', { lora_adapters: ['fine', 'FOLDER/data/own'] }, false],
  ['a link', { lora_base: 'link' }, false],
  ['a link to the folder', { tts: { audio_path: 'linked/own' } }, false],
  ['a list of terms', { pii_detection: { protected_terms_files: ['data/own'] } }, false],
  ['a deny list', { pii_detection: { deny_list_files: { P: ['fine', 'data/own'] } } }, false],
  ['an allow list', { pii_detection: { allow_list_files: ['data/own'] } }, false],
  ['a voice', { pipeline: { voice_recognition: { references: [{ audio: 'data/own' }] } } }, false],
  ['an option', { options: ['vae_path:data/own'] }, false],
  ['a file of an option with several', { options: ['files=fine, data/own'] }, false],
  ['an option of an engine', { engine_args: { a: { b: ['data/own'] } } }, false],
  [
    'its own files',
    { parameters: { model: 'fine' }, mmproj: 'none', options: ['a:fine', ''], lora_base: 'a\0b' },
    true,
  ],
  ['text that names no file', { system_prompt: 'data/own', template: { chat: 'data/own' } }, true],
])('a model may name no file of the server: %s', async (_what, config, isAllowed) => {
  await using folder = await tempDir()
  const root = await realpath(folder.path)
  for (const name of ['data', 'x']) await mkdir(folder.join(name))
  for (const name of ['data/own', 'fine']) await writeFile(folder.join(name), name)
  await symlink(folder.join('data/own'), folder.join('link'))
  await symlink(folder.join('data'), folder.join('linked'))
  const check = createOwnFileCheck({ holdsFile: async (real) => real.startsWith(`${root}/data/`) })
  const raw = JSON.parse(JSON.stringify(config).replaceAll('FOLDER', folder.path)) as Readonly<Record<string, unknown>>
  const checked = check({ folder: folder.path, raw })
  await (isAllowed ? checked : expect(checked).rejects.toMatchObject({ code: 'own_file' }))
})
