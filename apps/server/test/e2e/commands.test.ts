import { readFileSync } from 'node:fs'
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { COMMAND_LIST } from '../../src/config/command-list.ts'
import { verifies } from '../spec/verifies.ts'
import { runBuilt, startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

const weights = demoModels[0]?.file ?? ''

async function namesAt(url: string): Promise<string[]> {
  const body: unknown = await (await fetch(`${url}/v1/models`)).json()
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return []
  return body.data.map((model) => String(model.id))
}

describe('the command line', () => {
  verifies('versioning:format:version-and-commit', 'shows its version as the server does', async () => {
    await using server = await startBuiltServer()
    const shown = await runBuilt(server.folder, ['--version'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/^\d+\.\d+\.\d+\S* \([0-9a-f]{7}\)$/)
    expect(await (await fetch(`${server.url}/version`)).json()).toEqual({ version: shown.stdout })
  })

  it('prints commands and flags, and writes nothing', async () => {
    await using dir = await tempDir('svc-e2e-')
    const help = await runBuilt(dir.path, ['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['Usage: svc', 'models add FILE', '--address ADDRESS', 'SVC_ADDRESS']) {
      expect(help.stdout).toContain(part)
    }
    expect(await readdir(dir.path)).toEqual([])
  })

  const NAMES = [...COMMAND_LIST.map(({ words }) => words), 'help', 'version'].join(', ')

  it.each([
    [['run', '--adress', ':1'], 'unknown flag --adress (did you mean --address?)'],
    [['--log-level', 'loud'], '--log-level: "loud" is not one of error, warn, info, debug, trace'],
    [['modls', 'list'], `unknown command modls (did you mean models?); the commands are ${NAMES}`],
  ])('%j is refused with code 2 and %j', async (args, sentence) => {
    await using dir = await tempDir('svc-e2e-')
    expect(await runBuilt(dir.path, args)).toEqual({ code: 2, signal: null, stdout: '', stderr: sentence })
    expect(await readdir(dir.path)).toEqual([])
  })

  verifies('flags:declared:not-in-this-version', 'knows flags of features to come and refuses them', async () => {
    await using dir = await tempDir('svc-e2e-')
    const refused = await runBuilt(dir.path, ['run'], { env: { SVC_AGENT_POOL_TTS_MODEL: 'x' } })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toBe(
      'SVC_AGENT_POOL_TTS_MODEL cannot be had: agents answer in text; /v1/audio/speech speaks it',
    )
  })

  it('prints the JSON Schema of model files, and writes nothing', async () => {
    await using dir = await tempDir('svc-e2e-')
    const printed = await runBuilt(dir.path, ['models', 'schema'])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    const committed = new URL('../../../../docs/model.schema.json', import.meta.url)
    expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(committed, 'utf8')))
    expect(await readdir(dir.path)).toEqual([])
  })

  it('prints the OpenAPI document that a server has, beside a running one, and writes nothing', async () => {
    await using server = await startBuiltServer()
    const { servers, ...served } = (await (await fetch(`${server.url}/swagger/doc.json`)).json()) as {
      readonly servers: unknown
      readonly info: { readonly version: string }
    }
    await using dir = await tempDir('svc-e2e-')
    const printed = await runBuilt(dir.path, ['openapi'])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(printed.stdout)).toEqual(served)
    expect(servers).toEqual([{ url: server.url }])
    expect(await readdir(dir.path)).toEqual([])
    const without = await runBuilt(dir.path, ['openapi', '--disable-webui'])
    expect(Object.keys((JSON.parse(without.stdout) as { paths: object }).paths)).not.toContain('/app')
  })

  it('lists the backends that model files can name', async () => {
    await using dir = await tempDir('svc-e2e-')
    const flags = ['--external-grpc-backends', 'mine:127.0.0.1:50051', '--backends-system-path', dir.join('none')]
    expect(await runBuilt(dir.path, ['backends', 'list', ...flags])).toEqual({
      code: 0,
      signal: null,
      stdout: [
        ...[
          'cloud-proxy',
          'faster-whisper',
          'flite',
          'kokoro',
          'llama',
          'llama-cpp',
          'local-store',
          'mine',
          'onnx',
          'piper',
          'privacy-filter',
          'rerankers',
          'sentencetransformers',
        ],
        ...['service-proxy', 'sherpa-onnx', 'silero-vad', 'speech', 'transformers', 'whisper'],
      ].join('\n'),
      stderr: '',
    })
  })
})

describe("a model of one's own", () => {
  it('added by command is listed by the command and a running server, and takes the place of the demo in the list', async () => {
    await using server = await startBuiltServer({ env: { SVC_THREADS: '1' } })
    const { folder, url } = server
    await copyFile(weights, join(folder, 'Tiny Chat.gguf'))
    const before = await runBuilt(folder, ['models', 'list'])
    expect(before.stdout).toMatch(/^NAME +BACKEND +USECASES +FILE\ndemo +llama .*demo$/m)

    const added = await runBuilt(folder, ['models', 'add', 'Tiny Chat.gguf'])
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toMatch(/^added model "Tiny-Chat": \S.*\.gguf \(\d+\.\d MB\), .*\.yaml$/)
    const listed = await runBuilt(folder, ['models', 'list'])
    expect(listed.stdout).toMatch(/^Tiny-Chat +llama /m)
    expect(listed.stdout).not.toMatch(/^demo /m)
    expect(await namesAt(url)).toEqual(['Tiny-Chat', 'demo-embed', 'demo-ner', 'demo-vad', 'demo-voice'])
    expect(await readAnswer(await postChat(url, 'Tiny-Chat'))).not.toBe('')
    expect((await postChat(url, 'demo')).status).toBe(200)

    const again = await runBuilt(folder, ['models', 'add', 'Tiny Chat.gguf'])
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(/^svc: .*"Tiny-Chat" exists already$/)

    const linked = await runBuilt(folder, ['models', 'add', 'Tiny Chat.gguf', '--name', 'my own', '--link'])
    expect(linked.stdout).toMatch(/^added model "my own": /)
    const shown = await runBuilt(folder, ['models', 'show', 'my own'])
    expect(shown.stdout).toMatch(/^name +my own\nbackend +llama\n/)
    expect(await runBuilt(folder, ['models', 'show', 'my one'])).toMatchObject({
      code: 1,
      stderr: 'svc: there is no model "my one" (did you mean my own?)',
    })
    const deleted = await runBuilt(folder, ['models', 'delete', 'my own'])
    expect(deleted.stdout).toMatch(/^deleted model "my own": \S+\.yaml, \S+\.gguf$/)
    expect(await namesAt(url)).toEqual(['Tiny-Chat', 'demo-embed', 'demo-ner', 'demo-vad', 'demo-voice'])
  })

  it('that is not a model is not added', async () => {
    await using dir = await tempDir('svc-e2e-')
    await copyFile(new URL(import.meta.url), dir.join('text.gguf'))
    for (const file of ['text.gguf', 'none.gguf']) {
      const refused = await runBuilt(dir.path, ['models', 'add', file])
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(new RegExp(`^svc: ${file}[^\\n]+$`))
    }
    expect(await readdir(dir.path)).not.toContain('models')
  })

  it.each([
    [
      'takes the place of the demo in the list',
      'auto',
      ['demo-embed', 'demo-ner', 'demo-vad', 'demo-voice', 'dropped.gguf'],
      200,
    ],
    [
      'is listed beside a demo that is to stay',
      'true',
      ['demo', 'demo-embed', 'demo-ner', 'demo-vad', 'demo-voice', 'dropped.gguf'],
      200,
    ],
    ['is alone where the demo models are off', 'false', ['dropped.gguf'], 404],
  ])('dropped into the folder of a running server %s', async (_, mode, names, status) => {
    await using server = await startBuiltServer({ env: { SVC_DEMO_MODEL: mode, SVC_THREADS: '1' } })
    expect(await namesAt(server.url)).toEqual(
      mode === 'false' ? [] : ['demo', 'demo-embed', 'demo-ner', 'demo-vad', 'demo-voice'],
    )
    await copyFile(weights, join(server.folder, 'models', 'dropped.gguf'))
    expect(await namesAt(server.url)).toEqual(names)
    expect(await readAnswer(await postChat(server.url, 'dropped.gguf'))).not.toBe('')
    expect((await postChat(server.url, 'demo')).status).toBe(status)
  })
})
