import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

const DEMO = fileURLToPath(new URL('../../../packages/demo-models/weights/demo.gguf', import.meta.url))

/** Sends a message from the field in view, and waits for the whole answer. */
async function ask(page: Page, text: string, model: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const answer = page.getByRole('article', { name: `Answer of ${model}` }).last()
  await answer.getByRole('button', { name: 'Copy answer' }).waitFor()
  expect((await answer.innerText()).trim()).not.toBe('')
}

describeInBrowser('a newcomer', () => {
  it('chats, adds a model, sees it load and finds what it used', async () => {
    await using server = await startBuiltServer({ flags: ['--galleries=[]'] })
    const { url } = await server.logged('listening')
    await using view = await openView(String(url))
    const { page } = view
    const navigation = page.getByRole('navigation', { name: 'Main' })

    // the address that the server prints
    await page.goto(String(url))
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await ask(page, 'Who are you?', 'demo')

    // a file of the newcomer's own computer
    await navigation.getByRole('link', { name: 'Models' }).click()
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Add a model' }).click()
    await page.getByRole('heading', { name: 'Add a model', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'File', exact: true }).click()
    const buffer = await readFile(DEMO)
    await page
      .getByLabel('Choose a GGUF file or a model file')
      .setInputFiles({ name: 'mine.gguf', mimeType: 'application/octet-stream', buffer })
    expect(await page.getByRole('textbox', { name: 'Name of the model' }).inputValue()).toBe('mine')
    await page.getByRole('button', { name: 'Add this model' }).click()

    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    await page.getByRole('link', { name: /mine.*Loaded/ }).waitFor()
    await page.getByRole('link', { name: 'Open in chat' }).click()
    await ask(page, 'Tell me a story', 'mine')

    await navigation.getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('row', { name: /mine/ }).getByText('ready').waitFor()
    await navigation.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('row', { name: /^mine 1 / }).waitFor()
  })
})
