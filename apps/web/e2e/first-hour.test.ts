import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

describeInBrowser('the first hour', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({
      env: { SVC_DEMO_MODEL: 'true' },
      flags: ['--enable-tracing'],
      mock: {},
    })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('says why nothing was fetched, adds a known gallery by a form, and copies a built-in model', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models')
    await page.getByText('Nothing was fetched yet.').waitFor()
    expect(await page.getByRole('group', { name: 'Filters' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Add a gallery' }).click()
    const dialog = page.getByRole('dialog')
    const add = dialog.getByRole('button', { name: 'Add', exact: true })
    expect(await add.isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: /LocalAI/ }).click()
    expect(await dialog.getByLabel('Address of the list').inputValue()).toMatch(/^github:/)
    await dialog.getByLabel('Address of the list').fill('http://127.0.0.1:9/index.yaml')
    await dialog.getByLabel('Name', { exact: true }).fill('nearby')
    await add.click()
    await dialog.waitFor({ state: 'detached' })
    const galleries = async () => (await page.request.get('/models/galleries')).text()
    await expect.poll(galleries).toContain('"nearby"')

    await page.goto('/app/models/demo-ner')
    await page.getByRole('button', { name: 'Copy to change it' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name of the copy' }).fill('people')
    await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click()
    await page.waitForURL('**/app/models/people**')
    await page.getByLabel('Description', { exact: true }).waitFor()
  })

  it('makes a model the default one, and finds models, settings and references in the palette', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models?view=installed&model=demo')
    const isDefault = page.getByRole('switch', { name: /^Default/ })
    await isDefault.click()
    await expect.poll(() => isDefault.isChecked()).toBe(true)
    await page.getByText('llama', { exact: true }).first().waitFor()
    const capabilities = async () => (await page.request.get('/v1/models/capabilities')).text()
    await expect.poll(capabilities).toContain('"default":true')

    const palette = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill(text)
    }
    await palette('demo-embed')
    await page.getByRole('option', { name: /demo-embed/ }).click()
    await page.waitForURL('**model=demo-embed**')
    await palette('detectors')
    await page.getByRole('option', { name: /Default detectors/ }).click()
    await page.waitForURL('**/app/settings/filtering-and-interception#pii_default_detectors')
    await palette('0197f0c2-7d5e-7b51')
    await page.getByRole('option', { name: /in the traces/ }).click()
    await page.waitForURL('**/app/traces?**0197f0c2**')
  })

  it('shows settings, keys and instructions in German, and a legible Send', async () => {
    await using view = await openView(server.url, { language: 'de' })
    const { page } = view
    await page.goto('/app/settings/memory-and-eviction')
    await page.getByText('Gleichzeitig geladene Modelle').waitFor()
    await page.getByRole('link', { name: 'Zugang und Sicherheit' }).waitFor()
    expect(await page.getByText('agent_pool_enabled').count()).toBe(0)
    await page.goto('/app/api')
    await page.getByText('Modelle und Backends installieren, ändern und entfernen.').first().waitFor()
    await page.goto('/app/chat')
    await page.getByText('Administratoren können diese Unterhaltung in den Traces lesen.').waitFor()
    const send = page.getByRole('button', { name: 'Senden' })
    await send.hover({ force: true })
    const [colour, ground] = await send.evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element)
      return [color, backgroundColor]
    })
    expect(contrast(String(colour), String(ground))).toBeGreaterThan(4.5)
  })

  it('leads from an answer that broke in mid-stream to its trace', async () => {
    const failure = { status: 'INTERNAL', message: 'it broke', afterPieces: 2 } as const
    await server.model('breaks', { rules: [{ rpc: 'Predict*', do: { text: 'one two three', failure } }] })
    await fetch(`${server.url}/models/reload`, { method: 'POST' })
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/chat/breaks')
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('link', { name: 'Open its trace' }).click()
    await page.waitForURL('**/app/traces?**')
    await page.getByRole('row', { name: /breaks/ }).waitFor()
  })
})

function contrast(left: string, right: string): number {
  const toLight = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [toLight(left), toLight(right)].sort((one, other) => one - other)
  return (light + 0.05) / (dark + 0.05)
}
