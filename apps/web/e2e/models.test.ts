import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatGguf, type FileOrigin, startFileOrigin } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { holdFigure } from './figures.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

const WEIGHTS = chatGguf()

/** A model of the gallery, as its index has it. */
function makeEntry(name: string, file = `${name}.gguf`): string {
  return `- name: ${name}
  description: The model ${name}.
  license: mit
  tags: [chat]
  files: [{ filename: ${file}, uri: "huggingface://owner/repo/${file}" }]
  overrides: { backend: llama, known_usecases: [chat], parameters: { model: ${file} } }
`
}

describeInBrowser('models, their editor and operations', () => {
  let origin: FileOrigin
  let server: BuiltServer
  beforeAll(async () => {
    const index = makeEntry('cedar') + makeEntry('kestrel') + makeEntry('broken', 'gone.gguf')
    origin = await startFileOrigin({
      files: {
        '/index.yaml': Buffer.from(index),
        '/owner/repo/resolve/main/cedar.gguf': WEIGHTS,
        '/owner/repo/resolve/main/kestrel.gguf': WEIGHTS,
      },
    })
    const galleries = JSON.stringify([{ name: 'local', url: `${origin.origin}/index.yaml` }])
    server = await startBuiltServer({ flags: [`--galleries=${galleries}`], env: { HF_ENDPOINT: origin.origin } })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await origin.close()
  })

  const call = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> =>
    (await (await fetch(`${server.url}${path}`, init)).json()) as Record<string, unknown>

  /** Installs a model by the API and waits for it. */
  async function install(name: string): Promise<void> {
    await call(`/api/models/install/local@${name}`, { method: 'POST' })
    const isThere = expect.poll(async () => JSON.stringify(await call('/api/models/capabilities')))
    await isThere.toContain(`"${name}"`)
  }

  it('installs a model of a gallery and leads to a chat with it', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models?q=cedar')
    await page.getByRole('link', { name: /cedar/ }).click()
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    await page.getByText('cedar is installed.').waitFor()
    await page.getByRole('button', { name: 'Open in chat' }).click()
    await page.waitForURL('**/app/chat/cedar')
  })

  it('shows files that no model needs, and deletes one after a question', async () => {
    await writeFile(join(server.folder, 'models/own.safetensors'), 'own')
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models')
    await page.getByRole('button', { name: 'Unused files' }).click()
    const row = page.getByRole('row', { name: /own\.safetensors/ })
    await row.getByText('Not fetched by this server').waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Every file is needed.').waitFor()
    expect(await readdir(join(server.folder, 'models'))).not.toContain('own.safetensors')
  })

  it('counts a failed installation until it is dismissed', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/activity')
    await page.getByText('Nothing runs.').waitFor()
    await call('/api/models/install/local@broken', { method: 'POST' })
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByRole('link', { name: /Activity 1 needs attention/ }).waitFor()
    await page.getByRole('button', { name: /Operations: none, 1 needs attention/ }).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor({ state: 'detached' })
    await page
      .getByRole('row', { name: /broken/ })
      .getByText('Failed')
      .waitFor()
  })

  it('asks for the gallery with few calls, and rarely for operations while nothing runs', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app/models')
    await view.page.getByRole('link', { name: /kestrel/ }).waitFor()
    await view.page.waitForLoadState('networkidle')
    const asked = view.requests.filter((request) => / \/api\/(?:models|resources|operations)/.test(request))
    holdFigure({ check: 6, name: 'calls of the gallery', value: asked.length, most: 4 })
    const before = view.requests.length
    await view.page.waitForTimeout(16_000)
    const polls = view.requests.slice(before).filter((request) => request.includes('/api/operations'))
    expect(polls.length).toBeLessThanOrEqual(2)
  })

  it('edits a file as a form and as text, shows what changes, and keeps comments', async () => {
    await install('kestrel')
    const { config } = await call('/models/edit/kestrel')
    await call('/models/edit/kestrel', { method: 'POST', body: `# of the team\n${String(config)}` })
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models/kestrel?section=general')
    await page.getByLabel('Description', { exact: true }).fill('A small bird')
    await page.getByRole('button', { name: 'YAML' }).click()
    await page.locator('.cm-content').getByText('A small bird').waitFor()
    await page.getByRole('link', { name: /^Activity/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('.cm-content').getByText('A small bird').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('kestrel is saved and in force.').waitFor()
    const saved = String((await call('/models/edit/kestrel')).config)
    expect(saved).toContain('# of the team')
    expect(saved).toContain('description: A small bird')
  })

  it('shows both versions when somebody else has changed the file', async () => {
    await install('kestrel')
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models/kestrel?view=yaml')
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('usage: mine\n')
    await call('/models/toggle-pinned/kestrel/pin', { method: 'PUT' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else has changed this file').waitFor()
    await page.getByRole('button', { name: 'What they changed' }).click()
    await page.getByRole('dialog').getByText('pinned').first().waitFor()
    await page.getByRole('button', { name: 'Save my text' }).click()
    await page.getByText('kestrel is saved and in force.').waitFor()
    expect(String((await call('/models/edit/kestrel')).config)).toContain('usage: mine')
  })

  it('marks faults and leads to them', async () => {
    await install('kestrel')
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models/kestrel?view=yaml')
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('proxy:\n  mode: fast\n')
    const fault = page.getByRole('button', { name: /proxy\.mode Expected one of passthrough, translate/ })
    await fault.waitFor()
    await page.getByRole('button', { name: 'Form' }).click()
    await fault.click()
    await page.locator('.cm-activeLine').getByText('fast').waitFor()
  })

  it('goes from old addresses to the new pages, and Back goes past them', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app')
    await view.page.goto('/browse/manage?tab=backends&bq=ll')
    await view.page.waitForURL('**/app/backends?view=installed&q=ll')
    await view.page.goBack()
    await view.page.waitForURL('**/app')
  })
})
