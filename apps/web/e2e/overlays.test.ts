import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatGguf, eventually, type FileOrigin, startFileOrigin } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { noteFigure } from './figures.ts'
import { describeInBrowser, openView, register, signIn, startServerWithAccounts, type View } from './harness.ts'
import { lookAtOverlays } from './look-at-overlays.ts'
import { listNodeOverlayPages, OVERLAY_PAGES } from './overlays.ts'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))
/** Draw parts that others fill. */
const PARTS = ['components/ui/dialog', 'components/ui/menu']

const makeEntry = (name: string): string => `- name: ${name}
  files: [{ filename: ${name}.gguf, uri: "huggingface://owner/repo/${name}.gguf" }]
  overrides: { backend: llama, known_usecases: [chat], parameters: { model: ${name}.gguf } }
`

const MODELS = {
  secrets: 'backend: pattern\npii_detection: { builtins: [email], default_action: mask }\n',
  tooled: `backend: llama
known_usecases: [chat]
mcp: { remote: '{"mcpServers": {"files": {"url": "http://127.0.0.1:9/mcp"}}}' }
`,
  examples: `router:
  classifier: knn
  knn: { embedding_model: demo-embed, k: 1, similarity_threshold: 0.5, vote_threshold: 0.5 }
  policies: [{ label: talk, description: Greetings }]
  candidates: [{ model: demo, labels: [talk] }]
  fallback: demo
`,
}

/** The modules that draw something above a page. */
async function listSources(): Promise<readonly string[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /(?<!\.test)\.tsx$/.test(file))
  const drawing = /<(?:Dialog|ConfirmDialog|Menu|RowMenu|Popover|ModalOverlay|Peek)\b|<Navigation isDrawer|data-open=/
  const texts = await Promise.all(files.map((file) => readFile(join(SOURCES, file), 'utf8')))
  return files
    .filter((_, index) => drawing.test(texts[index] ?? ''))
    .map((file) => file.replace(/\.tsx$/, ''))
    .filter((file) => !PARTS.includes(file))
}

describeInBrowser('everything that opens above a page', () => {
  let origin: FileOrigin
  let server: BuiltServer
  let view: View

  beforeAll(async () => {
    origin = await startFileOrigin({
      files: {
        '/index.yaml': Buffer.from(makeEntry('cedar') + makeEntry('endless')),
        '/owner/repo/resolve/main/cedar.gguf': chatGguf(),
        '/owner/repo/resolve/main/endless.gguf': Buffer.alloc(4_000_000),
      },
    })
    // half of it comes, so that there is something to cancel
    for (const [path, file] of origin.files) if (path.includes('endless')) file.stop = { at: 2_000_000, how: 'stall' }
    const galleries = JSON.stringify([{ name: 'local', url: `${origin.origin}/index.yaml` }])
    server = await startServerWithAccounts({
      flags: [`--galleries=${galleries}`, '--enable-tracing'],
      env: { HF_ENDPOINT: origin.origin, SVC_DEMO_MODEL: 'true' },
    })
    await mkdir(join(server.folder, 'models'), { recursive: true })
    for (const [name, text] of Object.entries(MODELS)) {
      await writeFile(join(server.folder, 'models', `${name}.yaml`), `name: ${name}\n${text}`)
    }
    // the first part of a download that nobody continues
    for (const name of ['left.gguf.partial', 'left.gguf.partial.json']) {
      const path = join(server.folder, 'models', name)
      await writeFile(path, '{}')
      await utimes(path, 1_700_000_000, 1_700_000_000)
    }
    await mkdir(join(server.folder, 'backends/mine'), { recursive: true })
    await writeFile(join(server.folder, 'backends/mine/run.sh'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    view = await openView(server.url, { expected: /409/ })
    await register(view, 'root@site.example')
    await using ann = await openView(server.url)
    await register(ann, 'ann@site.example')
    await signIn(view, 'root@site.example')
    const post = async (path: string, data: object = {}) => {
      const reply = await view.context.request.post(path, { data })
      expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true)
    }
    await post('/models/reload')
    await post('/v1/chat/completions', { model: 'demo', max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] })
    await post('/api/agents', { name: 'scout', model: 'demo' })
    await post('/api/agent/tasks', { name: 'Report', model: 'demo', prompt: 'Report on {{.topic}}' })
    await post('/api/agents/skills', { name: 'make-tea', description: 'Makes tea.', content: 'Boil water.' })
    await post('/api/agents/collections', { name: 'notes' })
    const document = { name: 'rivers.txt', mimeType: 'text/plain', buffer: Buffer.from('The Nile flows to the sea.') }
    const upload = { multipart: { file: document } }
    expect((await view.context.request.post('/api/agents/collections/notes/upload', upload)).ok()).toBe(true)
    await post('/api/models/install/local@cedar')
    await eventually(
      async () =>
        expect(await (await view.context.request.get('/api/models/capabilities')).text()).toContain('"cedar"'),
      { intervalMs: 200 },
    )
    await post('/api/models/install/local@endless')
  })

  afterAll(async () => {
    await view.context.close()
    await server[Symbol.asyncDispose]()
    await origin.close()
  })

  it('stands in the table', async () => {
    const named = [...OVERLAY_PAGES, ...listNodeOverlayPages('none')].flatMap(({ overlays }) =>
      overlays.map(({ source }) => source),
    )
    expect([...new Set(named)].sort()).toEqual([...(await listSources())].sort())
  })

  it.each(OVERLAY_PAGES)(
    'is at $address without violations, keeps the focus and gives it back',
    async ({ address, width = 1440, overlays }) => {
      const all = await lookAtOverlays(view, { address, width, overlays })
      const about = `faults of ${overlays.length} overlays of ${address}, two themes and widths`
      noteFigure({ check: 4, name: about, value: all.length, most: 0 })
      expect(all).toEqual([])
    },
  )
})
