import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import { dress, findOverflow, findViolations } from './look.ts'

/** Looks at the open page, filled as it is now, in light and on a dark phone. */
async function findFaults(page: Page): Promise<readonly string[]> {
  await dress(page, 1440, 'light')
  const found = [...(await findViolations(page))]
  await dress(page, 390, 'dark')
  found.push(...(await findViolations(page)), ...(await findOverflow(page)))
  await dress(page, 1440, 'light')
  return found
}

describeInBrowser('agents', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true' } })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
  })

  it('are made, answer by keyboard, are paused and deleted', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/agents')
    await page.getByText('No agents yet').waitFor()
    await page.getByRole('button', { name: 'New agent' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('scout')
    await page.keyboard.press('Enter')
    await page.getByLabel('Model', { exact: true }).selectOption('demo')
    await page.getByLabel('Instructions').fill('Be short.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('scout is saved.').waitFor()
    await page.getByRole('button', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('log').getByRole('article')
    await answer.getByText('Hello', { exact: true }).first().waitFor()
    await answer.getByText('Working').waitFor({ state: 'detached' })
    expect(await answer.getByRole('alert').count()).toBe(0)
    expect(await findFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('This agent is paused.').waitFor()
    await page.goto('/app/agents')
    await page.getByRole('button', { name: 'Actions for scout' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No agents yet').waitFor()
  })

  it('run tasks with parameters, whose jobs show their result', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/agents/tasks/new')
    await page.getByLabel('Name', { exact: true }).fill('Report')
    await page.getByLabel('Model', { exact: true }).selectOption('demo')
    await page.getByLabel('Prompt').fill('Report on {{.topic}}')
    await page.getByText('Parameters: topic').waitFor()
    await page.getByLabel('Cron pattern').fill('0 25 * * *')
    await page.getByText('This is not a pattern of five fields').waitFor()
    await page.getByLabel('Cron pattern').fill('30 9 * * 1')
    await page.getByLabel('Time zone').fill('Asia/Tokyo')
    await page
      .getByText(/^Monday.*GMT\+9/)
      .first()
      .waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This task has not run yet.').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('dialog').getByLabel('topic').fill('tides')
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Completed', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await page.getByText('Prompt', { exact: true }).click()
    await page.getByText('Report on tides').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/agents/jobs?status=failed')
    await page.getByText('Nothing matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Report' }).waitFor()
  })

  it('search collections and read skills', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/agents/collections')
    await page.getByText('No collections yet').waitFor()
    await page.getByRole('button', { name: 'New collection' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('notes')
    await page.keyboard.press('Enter')
    await page.getByText('No documents yet').waitFor()
    const buffer = Buffer.from('The Nile flows through Egypt to the sea.')
    await page.locator('input[type=file]').setInputFiles({ name: 'rivers.txt', mimeType: 'text/plain', buffer })
    await page.getByText('Indexed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByLabel('What to look for').fill('Which river is in Egypt?')
    await page.keyboard.press('Enter')
    await page.getByText('The Nile flows through Egypt').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/agents/skills')
    await page.getByText('No skills yet').waitFor()
    await page.getByRole('button', { name: 'New skill' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('make-tea')
    await page.keyboard.press('Enter')
    await page.getByLabel('Instructions').fill('Boil water.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('make-tea is saved.').waitFor()
    const pots = { name: 'pots.md', mimeType: 'text/markdown', buffer: Buffer.from('Warm the pot.') }
    await page.locator('input[type=file]').setInputFiles(pots)
    await page.getByRole('button', { name: 'references/pots.md', exact: true }).click()
    await page.getByLabel('references/pots.md', { exact: true }).fill('Warm the pot first.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('references/pots.md is saved.').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/agents/skills')
    await page.getByRole('link', { name: 'make-tea' }).waitFor()
  })

  it('have no pages on a server without them', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.route('**/api/features', async (route) => {
      const reply = await route.fetch()
      await route.fulfill({ response: reply, json: { ...(await reply.json()), agents: false } })
    })
    await page.goto('/app/agents/tasks')
    await page.getByRole('heading', { name: 'No such page' }).waitFor()
    const main = page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'Router' }).waitFor()
    expect(await main.getByRole('link', { name: 'Agents' }).count()).toBe(0)
  })
})
