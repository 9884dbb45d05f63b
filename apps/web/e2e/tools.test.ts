import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startMcpServer, type TestMcpServer } from '../../server/src/mcp/__fixtures__/start-mcp-server.ts'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import { dress, findHiddenStops, findOverflow, findSmallText, findUnstyled, findViolations } from './look.ts'

/** Turns of a model: it calls a tool, and says what the second turn is for. */
const RULES = [
  { rpc: 'Predict*', contains: 'the caller declined this call', do: { text: 'Then not.' } },
  { rpc: 'Predict*', call: 2, do: { text: 'It is 41.' } },
  {
    rpc: 'Predict*',
    do: { text: 'I add them.', via: 'deltas' as const, toolCalls: [{ name: 'add', arguments: { a: 40, b: 1 } }] },
  },
]

const EDIT = { name: 'plain', patch: { description: 'Edited' }, dry_run: false }
const ADMIN_RULES = [
  { rpc: 'Predict*', contains: 'plain.yaml', do: { text: 'The file is changed.' } },
  { rpc: 'Predict*', do: { via: 'deltas' as const, toolCalls: [{ name: 'edit_model_config', arguments: EDIT }] } },
]

describeInBrowser('tools of servers', () => {
  let tools: TestMcpServer
  let server: BuiltServer
  beforeAll(async () => {
    tools = await startMcpServer()
    server = await startBuiltServer({ mock: {} })
    const mcpServers = {
      sums: { url: tools.url, approval: { add: 'ask' } },
      gone: { url: 'http://127.0.0.1:9/mcp' },
    }
    const keys = { known_usecases: ['chat'], mcp: { remote: stringify({ mcpServers }) } }
    await server.model('helper', { rules: RULES }, keys)
    await server.model('plain', { rules: ADMIN_RULES }, { known_usecases: ['chat'] })
    await fetch(`${server.url}/models/reload`, { method: 'POST' })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await tools[Symbol.asyncDispose]()
  })

  /** Looks at a page in both themes and at the width of a phone. */
  async function look(page: Page): Promise<readonly string[]> {
    const found = [...(await findViolations(page)), ...(await findUnstyled(page)), ...(await findSmallText(page))]
    await dress(page, 390, 'dark')
    found.push(...(await findViolations(page)), ...(await findOverflow(page)), ...(await findHiddenStops(page)))
    await dress(page, 1440, 'light')
    return found
  }

  const calls = (): number => tools.requests.length

  it('are switched on in a chat, run after consent that outlives a reload, and show what they did', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/chat/helper')
    await page.getByRole('button', { name: 'Tools', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('5 tools, 1 of them asks you first').waitFor()
    await dialog.getByRole('switch', { name: 'sums' }).check()
    await dialog.getByRole('switch', { name: 'gone' }).check()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Tools of 2 servers' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('textbox', { name: 'Message' }).fill('add numbers')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Run add?' })
    await card.getByText('"a": 40').waitFor()
    expect(await page.getByRole('alert').allTextContents()).toContain('Run add?')
    await page.getByText('the tools of gone are left out').waitFor()
    expect(await look(page)).toEqual([])
    await page.reload()
    const before = calls()
    await card.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('It is 41.').waitFor()
    expect(calls()).toBeGreaterThan(before)
    expect(await page.getByRole('article').last().textContent()).toMatch(/I add them\..*add.*It is 41\./s)
    await page.getByText('Result: 41').click()
    await page.locator('pre', { hasText: /^41$/ }).waitFor()
    expect(await look(page)).toEqual([])
  })

  it('do not run when the reader declines', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/chat/helper')
    await page.getByRole('button', { name: 'Tools', exact: true }).click()
    await page.getByRole('dialog').getByRole('switch', { name: 'sums' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Message' }).fill('add numbers')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('article').getByText('Then not.').waitFor()
    await page.getByText('Declined', { exact: true }).waitFor()
  })

  it('are listed beside a model and can be tried', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models?view=installed&model=helper')
    await page.getByRole('button', { name: 'Show tools' }).click()
    await page.getByRole('region', { name: 'gone' }).getByText('Fails').waitFor()
    const sums = page.getByRole('region', { name: 'sums' })
    await sums.getByRole('button', { name: 'Try add' }).click()
    await sums.getByLabel('a (required)').fill('2')
    await sums.getByRole('button', { name: 'Run' }).click()
    await sums.getByText('It is required.').waitFor()
    await sums.getByLabel('b (required)').fill('3')
    await sums.getByRole('button', { name: 'Run' }).click()
    await sums.locator('pre', { hasText: /^5$/ }).waitFor()
    await sums.getByRole('button', { name: 'Try picture' }).click()
    await sums.getByRole('button', { name: 'Run' }).last().click()
    await sums.getByRole('img', { name: 'Picture of the answer' }).waitFor()
    expect(await look(page)).toEqual([])
  })

  it('the assistant shows the difference of a file before it writes it', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.addInitScript(() => localStorage.setItem('svc-chat-model', 'plain'))
    await page.goto('/app/usage')
    await page.getByRole('button', { name: 'Assistant' }).click()
    const panel = page.getByRole('complementary', { name: 'Assistant' })
    await panel.getByRole('button', { name: /plain/ }).waitFor()
    await page.keyboard.type('describe it')
    await page.keyboard.press('Enter')
    await panel.getByText('+description: Edited').waitFor()
    expect(await look(page)).toEqual([])
    const read = async () => (await page.request.get('/models/edit/plain')).text()
    expect(await read()).not.toContain('description: Edited')
    await panel.getByRole('button', { name: 'Allow' }).click()
    await panel.getByRole('article').getByText('The file is changed.').waitFor()
    expect(await read()).toContain('description: Edited')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
  })
})
