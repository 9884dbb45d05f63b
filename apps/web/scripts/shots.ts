import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBrowser } from '@svc/test-kit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type BuiltServer, startBuiltServer } from '../../server/test/support/built-server.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/pictures', import.meta.url))
const MAX_BYTES = 150 * 1024
const SIZE = { width: 1200, height: 720 }

const GALLERY = ['cedar-9b', 'heron-embed', 'kestrel-3b', 'linden-vision', 'osprey-code'].map(
  (name) => `- name: ${name}
  description: The model ${name}.
  license: apache-2.0
  tags: [chat]
  files: [{ filename: ${name}.gguf, uri: "huggingface://owner/repo/${name}.gguf" }]
  overrides: { backend: llama, known_usecases: [chat], parameters: { model: ${name}.gguf } }
`,
)

const MODELS = {
  secrets: `name: secrets
backend: pattern
pii_detection:
  builtins: [email]
  default_action: mask
`,
  desk: `name: desk
router:
  classifier: knn
  knn: { embedding_model: demo-embed, k: 3, similarity_threshold: 0.5, vote_threshold: 0.5 }
  policies:
    - { label: code, description: Writing and debugging source code }
    - { label: talk, description: Greetings and small talk }
  candidates: [{ model: demo, labels: [talk] }]
  fallback: demo
`,
}

/** Examples that the router learns from. */
const EXAMPLES = [
  ...['good morning', 'hello there', 'how are you today', 'thanks a lot'].map((text) => ({ text, labels: ['talk'] })),
  ...['why does it crash', 'fix this function', 'write a loop in C'].map((text) => ({ text, labels: ['code'] })),
]

const QUESTIONS = ['Who are you?', 'Tell me a story about a fox', 'What can you do?', 'Say hello', 'Count to five']

async function post(server: BuiltServer, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  // a refusal is a trace too
  await (await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text()
}

/** Gives the pages something to show: models, a corpus, requests that went well and some that did not. */
async function seed(server: BuiltServer): Promise<void> {
  await mkdir(join(server.folder, 'models'), { recursive: true })
  for (const [name, text] of Object.entries(MODELS)) {
    await writeFile(join(server.folder, `models/${name}.yaml`), text)
  }
  await post(server, '/models/reload', {})
  await post(server, '/api/router/desk/corpus', { entries: EXAMPLES })
  for (let round = 0; round < 4; round += 1) {
    for (const content of QUESTIONS) {
      await post(server, '/v1/chat/completions', {
        model: 'demo',
        max_tokens: 24,
        messages: [{ role: 'user', content }],
      })
    }
    await post(server, '/v1/chat/completions', { model: 'absent', messages: [{ role: 'user', content: 'Hello' }] })
  }
}

async function drawChat(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Who are you?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 120_000 })
}

async function drawFindings(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: 'Text' })
    .fill('Hello, this is Ada from the lab. Please send the report to ada@lab.example and copy bob@lab.example.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Forwarded after masking').waitFor({ timeout: 60_000 })
}

async function drawDecision(page: Page): Promise<void> {
  await page.getByLabel('Prompt', { exact: true }).fill('good morning, how are you?')
  await page.keyboard.press('Control+Enter')
  await page.getByText('It is the first candidate that serves all active labels.').waitFor({ timeout: 60_000 })
}

/** A picture: its file, the address, and the actions on the page before it is taken. */
const PICTURES: readonly (readonly [name: string, page: string, prepare?: (page: Page) => Promise<void>])[] = [
  ['chat', 'chat', drawChat],
  ['home', ''],
  ['models', 'models?view=installed&model=demo'],
  ['traces', 'traces'],
  ['pii', 'pii?source=detectors&detectors=["secrets"]', drawFindings],
  ['router', 'router/desk', drawDecision],
]

async function takePictures(browser: Browser, server: BuiltServer, theme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: SIZE,
    colorScheme: theme,
    locale: 'en',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  for (const [name, path, prepare] of PICTURES) {
    await page.goto(path === '' ? '/app' : `/app/${path}`)
    const heading = page.locator('h1')
    await heading.waitFor({ state: 'attached' })
    if ((await heading.textContent()) === 'No such page') {
      console.warn(`no picture of ${name}: this build has no such page`)
      continue
    }
    await prepare?.(page)
    await page.waitForLoadState('networkidle')
    await page.waitForFunction(() => document.querySelector('[data-shown]') === null)
    const file = join(FOLDER, `${name}-${theme}.png`)
    // fades have ended by then
    await page.waitForTimeout(500)
    await page.screenshot({ path: file })
    const { size } = await stat(file)
    if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}`)
    console.log(`${file} ${size} bytes`)
  }
  await context.close()
}

const executablePath = findBrowser()
if (executablePath === undefined) throw new Error('no Chromium on this machine (Debian: apt-get install chromium)')
await mkdir(FOLDER, { recursive: true })
const origin = createServer((_, response) => void response.end(GALLERY.join('')))
await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
const { port } = origin.address() as AddressInfo
const galleries = JSON.stringify([{ name: 'local', url: `http://127.0.0.1:${port}/index.yaml` }])
const folder = await mkdtemp(join(tmpdir(), 'svc-shots-'))
const server = await startBuiltServer({
  folder,
  env: { SVC_DEMO_MODEL: 'true' },
  flags: ['--enable-tracing', `--galleries=${galleries}`],
})
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await seed(server)
  for (const theme of ['light', 'dark'] as const) await takePictures(browser, server, theme)
} finally {
  await browser.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  origin.closeAllConnections()
  origin.close()
}
