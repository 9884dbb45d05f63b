import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { noteFigure } from './figures.ts'
import { describeInBrowser, openView, register, startBuiltServer, startServerWithAccounts } from './harness.ts'

const LABELS = [
  { label: 'code', description: 'Writing and debugging source code' },
  { label: 'talk', description: 'Greetings, thanks and small talk' },
]

const MODELS = {
  masks: { backend: 'pattern', pii_detection: { builtins: ['email', 'credit_card'], default_action: 'mask' } },
  blocks: { backend: 'pattern', pii_detection: { builtins: ['email'], default_action: 'block' } },
  guard: { mitm: { hosts: ['api.provider.example'] }, pii: { enabled: true, detectors: ['masks'] } },
  examples: {
    router: {
      classifier: 'knn',
      knn: { embedding_model: 'demo-embed', k: 1, similarity_threshold: 0.5, vote_threshold: 0.5 },
      policies: LABELS,
      candidates: [{ model: 'demo', labels: ['talk'] }],
      fallback: 'demo',
    },
  },
}

const ENV = { SVC_DEMO_MODEL: 'true' }

/** Writes the model files of these tests into a folder. */
async function writeModels({ path: folder }: TempDir): Promise<string> {
  await mkdir(join(folder, 'models'), { recursive: true })
  for (const [name, model] of Object.entries(MODELS)) {
    await writeFile(join(folder, 'models', `${name}.yaml`), stringify({ name, ...model }))
  }
  return folder
}

describeInBrowser('the labs', () => {
  let folder: TempDir
  let server: BuiltServer
  beforeAll(async () => {
    folder = await tempDir()
    server = await startBuiltServer({
      folder: await writeModels(folder),
      env: ENV,
      flags: ['--mitm-listen', '127.0.0.1:0'],
    })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  it('masks a text behind emoji and combining marks at the right place', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/pii?source=detectors&detectors=["masks"]')
    await page
      .getByRole('textbox', { name: 'Text' })
      .fill('👩‍👩‍👧 e\u0301 Café: mail ada@lab.example now, card: 4111 1111 1111 1112')
    const before = view.requests.filter((path) => path.endsWith('/api/pii/redact')).length
    expect(before).toBe(0)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Forwarded after masking').waitFor()
    await page.locator('mark', { hasText: /^ada@lab\.example/ }).waitFor()
    await page
      .getByRole('region', { name: 'What the model would see' })
      .getByText('Café: mail [REDACTED:pattern:EMAIL] now')
      .waitFor()
    const unchecked = page.getByRole('row').filter({ hasText: 'by its label alone, not checked' })
    await unchecked.filter({ hasText: '4111 1111 1111 1112' }).waitFor()
    expect(await unchecked.count()).toBe(1)
    expect(view.requests.filter((path) => path.endsWith('/api/pii/redact'))).toHaveLength(1)
    expect(page.url()).not.toContain('ada')
    noteFigure({ check: 8, name: 'PII lab: texts tried', value: 1, least: 1 })
  })

  it('shows a refusal as a result and previews another action', async () => {
    await using view = await openView(server.url, { expected: /400/ })
    const { page } = view
    await page.goto('/app/pii?source=detectors&detectors=["blocks"]')
    await page.getByRole('textbox', { name: 'Text' }).fill('mail ada@lab.example now')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('This request would be refused').waitFor()
    await page.getByLabel('EMAIL', { exact: true }).selectOption('allow')
    await page.getByText('Forwarded as it is').waitFor()
    await page.getByText('This is a preview with other settings').waitFor()
  })

  it('fills the corpus of a router, decides by it, and removes it', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/router/examples?view=corpus')
    await page.getByLabel('Labelled texts').fill('text,labels\ngood morning,talk\nwhy does it crash,code\nhello,law\n')
    await page.getByText('the router has no label law').waitFor()
    await page.getByRole('button', { name: 'Add 2 texts' }).click()
    await page.getByText('2 texts added.').waitFor()
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByLabel('Prompt', { exact: true }).fill('good morning')
    await page.keyboard.press('Control+Enter')
    await page.getByText('It is the first candidate that serves all active labels.').waitFor()
    await page.getByRole('button', { name: 'Corpus' }).click()
    await page.getByRole('button', { name: 'Remove all texts' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Remove all texts' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('examples')
    await dialog.getByRole('button', { name: 'Remove all texts' }).click()
    await page.getByText('The corpus is empty').waitFor()
    noteFigure({ check: 8, name: 'router: corpora filled, tried and emptied', value: 1, least: 1 })
  })

  it('shows the certificate that it serves, with steps to trust it', async () => {
    await using view = await openView(server.url)
    const { page } = view
    const { fingerprint } = await server.logged('the intercepting proxy is listening')
    await page.goto('/app/intercept')
    await page.getByText(String(fingerprint)).waitFor()
    await page.getByRole('cell', { name: 'api.provider.example' }).waitFor()
    await page.getByRole('button', { name: 'Fedora, RHEL' }).click()
    await page.getByText('sudo update-ca-trust').first().waitFor()
  })

  it('embeds texts in the playground and shows the equal command', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/playground')
    await page.getByLabel('Texts, one a line').fill("it's a cat\na dog")
    await page.getByText(`-d '{`).waitFor()
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('256 dimensions').waitFor()
  })
})

describeInBrowser('the labs for a user', () => {
  it('offer no admin parts and no page of the proxy', async () => {
    await using folder = await tempDir()
    await using server = await startServerWithAccounts({ folder: await writeModels(folder), env: ENV })
    await using admin = await openView(server.url)
    await register(admin, 'admin@site.example')
    await using view = await openView(server.url)
    await register(view, 'ann@site.example')
    const { page } = view
    await page.goto('/app/router/examples')
    await page.getByRole('heading', { name: 'Labels' }).waitFor()
    expect(await page.getByRole('button', { name: 'Corpus' }).count()).toBe(0)
    await page.goto('/app/intercept')
    await page.getByText('Only admins can open this page.').waitFor()
    await page.goto('/app/pii')
    await page.getByRole('heading', { name: 'PII lab', level: 1 }).waitFor()
    expect(await page.getByLabel('Reveal hash prefix').count()).toBe(0)
    expect(view.requests.some((path) => path.includes('/api/middleware/status'))).toBe(false)
  })
})
