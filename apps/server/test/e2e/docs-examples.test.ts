import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { demoModels } from '@svc/demo-models'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { verifies } from '../spec/verifies.ts'
import { BUILT_ENTRY, type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const DEMO_ROUTER = 'examples/demo-router/README.md'

/** A fenced block of a page. */
interface Example {
  readonly page: string
  readonly language: string
  readonly text: string
}

function readExamples(page: string): Example[] {
  const fences = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)
  return [...fences].map(([, language = '', text = '']) => ({ page, language, text }))
}

const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
/** The examples of the pages for users that name a demo model, and all of the router to begin with. */
const EXAMPLES = [
  ...readExamples(DEMO_ROUTER),
  ...PAGES.filter((page) => page.endsWith('.md'))
    .flatMap(readExamples)
    .filter(({ text }) => /\bdemo(-embed|-ner)?\b|new WebSocket\('ws:/.test(text)),
]
/** The pipelines of conversations, whose programs need them. */
const PIPELINES = EXAMPLES.filter(({ language, text }) => language === 'yaml' && 'pipeline' in parse(text))
const examplesIn = (...languages: readonly string[]): Example[] =>
  EXAMPLES.filter(({ language }) => languages.includes(language))

let folder: TempDir
let server: BuiltServer
beforeAll(async () => {
  folder = await tempDir('svc-e2e-')
  await mkdir(join(folder.path, 'models'))
  await mkdir(join(folder.path, 'bin'))
  await symlink(join(ROOT, 'examples'), join(folder.path, 'examples'))
  await writeFile(join(folder.path, 'report.txt'), 'All went well.\n')
  await writeFile(join(folder.path, 'bin/svc'), `#!/bin/sh\nexec "${process.execPath}" "${BUILT_ENTRY}" "$@"\n`, {
    mode: 0o755,
  })
  // An own chat model: the file of the page about recognisers names it.
  await copyFile(demoModels[0]?.file ?? '', join(folder.path, 'models/chat.gguf'))
  server = await startBuiltServer({ folder: folder.path, env: { SVC_THREADS: '1' } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await folder.close()
})

/** The commands of a block, for the server of this test, which runs already. */
const toScript = ({ text }: Example): string =>
  text
    .replaceAll(/(http|ws):\/\/(localhost|127\.0\.0\.1):8080/g, server.url.replace('http', '$1'))
    .replaceAll(/^npm start$/gm, '')

async function runShell(example: Example): Promise<string> {
  const { PATH = '' } = process.env
  const env = {
    PATH: `${join(folder.path, 'bin')}:${PATH}`,
    HOME: folder.path,
    SVC_THREADS: '1',
    SVC_ADDRESS: new URL(server.url).host,
  }
  const script = toScript(example).replaceAll('curl ', 'curl -sS --fail-with-body ')
  // input of a dialogue
  const running = run('sh', ['-e', '-c', script], { cwd: folder.path, env })
  running.child.stdin?.end('Hello\n')
  return (await running).stdout
}

async function listModels(): Promise<string[]> {
  const reply = await fetch(`${server.url}/v1/models`)
  return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

/** A part of a router file, in a router that has the rest. */
function completeRouter(part: object): object {
  const { router } = parse(readFileSync(join(ROOT, 'examples/demo-router/auto.yaml'), 'utf8'))
  const classifier = 'embedding_cache' in part ? { classifier: 'score', classifier_model: 'demo' } : {}
  return { ...router, ...classifier, ...part }
}

async function decide(router: string): Promise<unknown> {
  const body = JSON.stringify({ router, input: 'Why does my program crash?' })
  const reply = await fetch(`${server.url}/api/router/decide`, { method: 'POST', body })
  return { status: reply.status, ...((await reply.json()) as object) }
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('beside an own chat model', () => {
  it('the pages have examples of each kind', () => {
    const kinds = ['sh', '', 'js', 'yaml'].map((language) => examplesIn(language).length)
    expect(kinds.every((count) => count > 0)).toBe(true)
    expect(examplesIn('sh', '', 'js', 'yaml')).toHaveLength(EXAMPLES.length)
  })

  verifies('model-file:demo:usable-by-name', 'the demo chat model leaves the list and answers by name', async () => {
    expect(await listModels()).toEqual(['chat.gguf', 'demo-embed', 'demo-ner', 'demo-vad', 'demo-voice'])
    expect(await readAnswer(await postChat(server.url, 'demo'))).toMatch(/\w/)
    const one = await fetch(`${server.url}/v1/models/demo`)
    expect([one.status, await one.json()]).toEqual([200, expect.objectContaining({ id: 'demo' })])
    const { model } = (await (await postChat(server.url, '')).json()) as { model: string }
    expect(model).toBe('chat.gguf')
  })

  verifies('model-file:demo:examples', 'the commands and programs of the pages run as printed', async () => {
    for (const { text } of PIPELINES) await writeFile(join(folder.path, `models/${parse(text).name}.yaml`), text)
    for (const example of examplesIn('js')) {
      const args = ['--input-type=module', '--eval', toScript(example)]
      const { stdout } = await run(process.execPath, args, { cwd: PACKAGE })
      expect(stdout, example.page).toMatch(/\w/)
    }
    if (!hasCurl) return console.log('curl is missing: the commands of the pages did not run')
    const outputs = new Map<Example, string>()
    for (const example of examplesIn('sh', '')) outputs.set(example, await runShell(example))
    const printed = [...outputs.values()].join('\n')
    expect(printed).toContain('"added":')
    expect(printed).toContain('data: [DONE]')
    expect(printed).toMatch(/router "auto": 55 texts, 4\d routed right/)
    expect(await decide('auto')).toMatchObject({ status: 200, labels: ['code'], candidate: 'large' })
  })

  verifies('model-file:demo:examples', 'the model files of the pages work as printed', async () => {
    const modelFiles = examplesIn('yaml').filter((example) => !PIPELINES.includes(example))
    const files = modelFiles.map(({ page, text }, index) => {
      const { name = `part-${index}`, router, ...rest } = parse(text)
      const file = 'name' in parse(text) ? text : stringify({ name, router: completeRouter(router) })
      return { page, name, isRouter: router !== undefined, file, rest }
    })
    for (const name of ['small', 'large'])
      await copyFile(join(ROOT, `examples/demo-router/${name}.yaml`), join(folder.path, `models/${name}.yaml`))
    for (const { name, file } of files) await writeFile(join(folder.path, `models/${name}.yaml`), file)
    for (const { page, name, isRouter } of files) {
      const reply = await postChat(server.url, name, {
        messages: [{ role: 'user', content: 'My name is Philippa Cartwright.' }],
      })
      expect(await readAnswer(reply), page).toMatch(/\w/)
      if (isRouter) expect(await decide(name), page).toMatchObject({ status: 200 })
    }
    const events = await fetch(`${server.url}/api/pii/events`)
    expect(JSON.stringify(await events.json())).toContain('"ner:PER"')
    const { models } = (await (await fetch(`${server.url}/api/router/status`)).json()) as {
      models: { name: string; problems: unknown[] }[]
    }
    expect(models.flatMap(({ problems }) => problems)).toEqual([])
    expect(server.log().filter(({ level, msg }) => level === 'warn' && msg.includes('model file'))).toEqual([])
  })
})
